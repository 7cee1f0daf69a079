/**
 * Derives the numeric id that deprecated records need from a name: FNV-1a of its UTF-8, without the sign bit. It is the
 * same on every server and in every version.
 */
export function stableNumber(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash & 0x7fffffff;
}
