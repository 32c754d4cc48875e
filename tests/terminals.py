# SPDX-License-Identifier: Apache-2.0
"""Shells at a terminal of their own: what a line becomes when tab is pressed."""

import base64
import os
import pty
import re
import select
import subprocess
import time

BASH = """
bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; bind 'set horizontal-scroll-mode off'
show_line() { printf '\\n<<%s>>\\n' "$(printf %s "$READLINE_LINE" | base64 -w 0)"; READLINE_LINE= READLINE_POINT=0; }
bind -x '"\\C-t": show_line'
source <(quantlens completion bash)
"""
ZSH = """
unset zle_bracketed_paste; setopt nobeep
autoload -Uz compinit && compinit -u -D
show_line() { print; print -r -- "<<$(print -rn -- "$BUFFER" | base64 -w 0)>>"; BUFFER= ; zle reset-prompt }
zle -N show_line; bindkey '^T' show_line
source <(quantlens completion zsh)
"""
SHELLS = {"bash": (["bash", "--norc", "--noprofile", "-i"], BASH), "zsh": (["zsh", "-f", "-i"], ZSH)}


class Terminal:
    """One with a shell in which quantlens is completed."""

    def __init__(self, shell, folder, environment):
        words, script = SHELLS[shell]
        begin = folder / f"begin.{shell}"
        begin.write_text(script)
        ours, theirs = pty.openpty()
        self.terminal = ours
        self.shell = subprocess.Popen(words, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                                      env=dict(environment, TERM="dumb", PS1="$ ", HISTFILE="", COLUMNS="500"))
        os.close(theirs)
        self.send(f"source {begin}; rm {begin}; echo rea''dy\r")
        self.read(re.compile(rb"ready\r"))

    def send(self, keys):
        os.write(self.terminal, keys.encode())

    def read(self, pattern, seconds=30):
        """Waits for the pattern."""
        end, seen = time.monotonic() + seconds, b""
        while time.monotonic() < end:
            if not select.select([self.terminal], [], [], 0.2)[0]:
                continue
            seen += os.read(self.terminal, 65536)
            if found := pattern.search(seen):
                return found
        raise AssertionError(f"the shell says: {seen[-2000:]!r}")

    def after_tab(self, line, keys="\t"):
        """The line when tab was pressed."""
        self.send(line + keys + "\x14")
        return base64.b64decode(self.read(re.compile(rb"<<([A-Za-z0-9+/=\r\n]*)>>")).group(1)).decode()

    def close(self):
        os.close(self.terminal)
        self.shell.kill()
        self.shell.wait()
