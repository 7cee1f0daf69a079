/** Members and indices from a document's root to one of its values. */
export type Path = readonly PropertyKey[];

/** Maximum length of a JSON Pointer in an error; beyond it the pointer names the nearest parent that fits. */
const maxLength = 1024;

/** Writes a path as a JSON Pointer (RFC 6901) below `base`. */
export function toPointer(base: string, path: Path): string {
  let pointer = base;
  for (const segment of path) {
    if (typeof segment === 'string' && segment.length > maxLength) return pointer;
    const next = `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (next.length > maxLength + base.length) return pointer;
    pointer = next;
  }
  return pointer;
}
