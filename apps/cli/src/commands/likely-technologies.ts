/** Returns the technologies that a mistyped or abbreviated name probably means: `eth`, `Ethereum`, `fabrik`. */
export function likelyTechnologies(given: string, names: readonly string[]): readonly string[] {
  const start = given.toLowerCase().slice(0, 3);
  return names.filter((name) => [name, ...name.split('-')].some((part) => part.startsWith(start)));
}
