// SPDX-License-Identifier: Apache-2.0
// Writes a stored run of 10,000 ops, to be served or read: bench_make_run WORKSPACE
#include <cstdio>

#include "bench/stored_run.h"

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fputs("usage: bench_make_run WORKSPACE\n", stderr);
    return 2;
  }
  quantlens::DiskStore store;
  quantlens::bench::write_run(quantlens::Workspace(store, argv[1]));
}
