// SPDX-License-Identifier: Apache-2.0
// Writes a stored run of 10,000 ops, or of as many, to be served or read: bench_make_run WORKSPACE
// [OPS]
#include <cstdio>
#include <cstdlib>

#include "bench/stored_run.h"

int main(int argc, char** argv) {
  const std::size_t ops = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : quantlens::bench::kOps;
  if (argc < 2 || argc > 3 || argv[1][0] == '-' || ops < 101) {
    std::fputs("usage: bench_make_run WORKSPACE [OPS], 101 or more\n", stderr);
    return 2;
  }
  quantlens::DiskStore store;
  quantlens::bench::write_run(quantlens::Workspace(store, argv[1]), ops);
}
