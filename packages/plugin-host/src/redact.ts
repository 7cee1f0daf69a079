import type { Json, LedgerConfig } from '@ledger-ops/adapter';

/** Takes known secrets out of texts. */
export interface Redactor {
  /** From now on nothing of this ledger's credentials may be shown. */
  learn(ledger: LedgerConfig): void;
  redact(text: string): string;
  /** All texts of a value, names among them; numbers stay what they are. */
  redactJson<Value extends Json>(value: Value): Value;
}

/** Shorter texts would tear ordinary words apart. */
const shortest = 4;
const mark = '[secret]';

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** Names of properties whose values are never shown. */
const secretName = /secret|password|token|credential|authorization|private|key$/i;

/** An address may hold signs of percent that begin nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A redactor that knows no secrets yet. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;
  /** One expression, since a text is looked through once then. Of two that begin alike the longer one stands first. */
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
    // Objects stay objects and lists lists.
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
