import type { Json, LedgerConfig } from '@ledger-ops/adapter';

/** Removes known secrets from strings. */
export interface Redactor {
  /** Adds the credentials of a ledger to the known secrets. */
  learn(ledger: LedgerConfig): void;
  redact(text: string): string;
  /** Redacts all strings of a value, including names. Numbers are unchanged. */
  redactJson<Value extends Json>(value: Value): Value;
}

/** Minimum length of a redacted secret. Shorter secrets would match inside ordinary words. */
const shortest = 4;
const mark = '[secret]';

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** Names of properties whose values are always secret. */
const secretName = /secret|password|token|credential|authorization|private|key$/i;

/** Decodes percent escapes. Returns the text unchanged if it contains percent signs that are not escapes. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Creates a redactor without known secrets. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;
  /**
   * Returns a single regular expression, so a string is scanned once. Longer secrets come first, because one
   * secret may be a prefix of another.
   */
  const patternOf = () =>
    new RegExp(
      [...secrets]
        .toSorted()
        .toReversed()
        .map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
        .join('|'),
      'g',
    );
  const redact = (text: string) => {
    if (secrets.size === 0) return text;
    pattern ??= patternOf();
    return text.replace(pattern, mark);
  };
  const redactAny = (value: Json): Json => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(redactAny);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [redact(name), redactAny(one)]));
  };
  return {
    // Redacting preserves the value's structure.
    redactJson: (value) => redactAny(value) as typeof value,
    learn({ nodes, properties }) {
      const known = secrets.size;
      for (const { uri } of nodes) {
        const url = URL.parse(uri);
        if (url === null) continue;
        const written = url.search.split(/[?&]/).map((pair) => pair.slice(pair.indexOf('=') + 1));
        const query = [...url.searchParams.values(), ...written];
        const path = url.pathname.split('/').filter((part) => part.length > 15);
        for (const secret of [url.password, url.username, ...query, ...path]) {
          for (const form of [secret, decoded(secret)]) if (form.length >= shortest) secrets.add(form);
        }
      }
      const named = [properties, ...nodes.map((node) => node.properties ?? {})];
      for (const [name, value] of named.flatMap((some) => Object.entries(some))) {
        if (!secretName.test(name)) continue;
        for (const secret of textsOf(value)) if (secret.length >= shortest) secrets.add(secret);
      }
      if (secrets.size > known) pattern = undefined;
    },
    redact,
  };
}
