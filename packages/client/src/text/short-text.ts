/** Shortens long texts: `0x1234…cdef`. */
export function shortText(text: string, keep = 6): string {
  return text.length <= keep * 2 + 4 ? text : `${text.slice(0, keep + 2)}…${text.slice(-keep)}`;
}
