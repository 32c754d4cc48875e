# SPDX-License-Identifier: Apache-2.0
"""The property of as_planned.py on 500 other chains."""

import as_planned

as_planned.main(count=500, first=1000)
