/**
 * Returns a cookie's value. If the name has several values, returns none, because a sibling domain may have
 * set one of them.
 */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = new Set<string>();
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at !== -1 && part.slice(0, at).trim() === name) values.add(part.slice(at + 1).trim());
  }
  const [only] = values;
  return values.size === 1 && only !== '' ? only : undefined;
}
