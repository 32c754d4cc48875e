// SPDX-License-Identifier: Apache-2.0
// Included first in each source of the wheel: these functions had a second version added in
// glibc 2.29, which differs in that it does not call `matherr`. The first one is in every glibc.
#ifndef QUANTLENS_PACKAGING_GLIBC_SYMBOLS_H
#define QUANTLENS_PACKAGING_GLIBC_SYMBOLS_H

__asm__(".symver exp,exp@GLIBC_2.2.5");
__asm__(".symver exp2,exp2@GLIBC_2.2.5");
__asm__(".symver log,log@GLIBC_2.2.5");
__asm__(".symver log2,log2@GLIBC_2.2.5");
__asm__(".symver pow,pow@GLIBC_2.2.5");

#endif  // QUANTLENS_PACKAGING_GLIBC_SYMBOLS_H
