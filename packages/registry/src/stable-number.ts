/**
 * The number of a name in deprecated records, whose ids are numbers: FNV-1a of its UTF-8, without the sign bit. It is the
 * same on every server and in every version, and needs no list.
 */
export function stableNumber(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash & 0x7fffffff;
}
