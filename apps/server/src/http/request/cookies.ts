/**
 * A cookie's value. A name that comes with several values counts as absent: a neighbouring domain may have set one
 * of them, and which one is ours cannot be told.
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
