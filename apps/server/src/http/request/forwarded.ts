/**
 * Returns an element of a comma-separated header, counted from the right, starting with 1. Undefined if there
 * are fewer elements.
 *
 * Commas in quoted strings do not separate elements. The header is read from the right, because the client wrote its left part: an open
 * quotation mark there must not hide the elements that proxies appended.
 */
export function elementFromRight(header: string, nth: number): string | undefined {
  let end = header.length;
  let isQuoted = false;
  let found = 0;
  for (let at = header.length - 1; at >= -1; at -= 1) {
    const character = header[at];
    if (character === '"' && !isEscaped(header, at, isQuoted)) isQuoted = !isQuoted;
    if (at >= 0 && (character !== ',' || isQuoted)) continue;
    found += 1;
    if (found === nth) {
      const element = header.slice(at + 1, end).trim();
      return at === -1 && element === '' ? undefined : element;
    }
    end = at;
  }
  return undefined;
}

/** Whether a quotation mark within a quoted string is part of its value. */
function isEscaped(header: string, at: number, isQuoted: boolean): boolean {
  if (!isQuoted) return false;
  let first = at;
  while (header[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** One member of an element, with its separator. */
const member = /[ \t]*([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))[ \t]*(?:;|$)/y;

/**
 * Returns the member `for` of an element of the header Forwarded (RFC 7239); empty if the element is
 * malformed or has no such member.
 */
export function forwardedFor(element: string): string {
  const values: string[] = [];
  const members = new RegExp(member);
  while (members.lastIndex < element.length) {
    const [, name = '', quoted, bare = ''] = members.exec(element) ?? [];
    if (name === '') return '';
    if (name.toLowerCase() === 'for') values.push(quoted?.replaceAll(/\\(.)/g, '$1') ?? bare);
  }
  const [only = ''] = values;
  return values.length === 1 ? only : '';
}
