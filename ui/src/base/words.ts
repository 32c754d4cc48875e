// SPDX-License-Identifier: Apache-2.0
// The words of a command line, as a run has kept them.

/** The value of an option, "--name VALUE" or "--name=VALUE"; of several the last. */
export function optionOf(words: readonly string[], option: string): string | null {
  let found: string | null = null;
  words.forEach((word, index) => {
    if (word === option) found = words[index + 1] ?? null;
    else if (word.startsWith(`${option}=`)) found = word.slice(option.length + 1);
  });
  return found;
}

/** Without what the server alone adds to the command line of a job. */
export function ownWords(words: readonly string[]): string[] {
  return words.filter((word) => word !== "--progress=json");
}

/** That write into another file: the one that is there stays. */
export function writing(words: readonly string[], path: string): string[] {
  const at = words.indexOf("-o");
  if (at >= 0) return words.map((word, index) => (index === at + 1 ? path : word));
  const joined = words.findIndex((word) => word.startsWith("-o") && word.length > 2);
  return joined >= 0 ? words.map((word, index) => (index === joined ? `-o${path}` : word)) : [...words, "-o", path];
}
