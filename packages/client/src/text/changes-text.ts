import type { components } from '../schema.generated.ts';

type Change = components['schemas']['ValueChange'];

/** Names of values in sentences. Names that are not listed are split into words. */
const names: Readonly<Record<string, string>> = {
  url: 'URL',
  uri: 'address',
  appUrl: 'website',
  redirectUris: 'redirect addresses',
  nodeId: 'node',
  types: 'event types',
  implementationVersion: 'adapter interface version',
};

/** Maximum number of changed values that a sentence names. */
const mostNamed = 4;
/** Maximum number of characters of a value in a sentence. */
const longestValue = 60;

/**
 * Returns what an update changed, as a predicate: `changed confirmations of the ledger Sepolia from 5 to 12`.
 * @param record the record's type and name
 */
export function changesText(changes: readonly Change[], record: string): string {
  const [only] = changes;
  if (only === undefined) return `changed the ${record}`;
  if (changes.length > 1) {
    const more = changes.length - mostNamed;
    const named = changes.slice(0, mostNamed).map((one) => `${nameOf(one)}${valuesText(one)}`);
    return `changed the ${record}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
  if (only.name === 'active') return `${only.to === 'yes' ? 'activated' : 'deactivated'} the ${record}`;
  const values = valuesText(only);
  return `${verbOf(only)} ${nameOf(only)} of the ${record}${values}`;
}

function verbOf({ from, to }: Change): string {
  if (from === null && to !== null) return 'set';
  return to === null ? 'removed' : 'changed';
}

/** Returns ` from 5 to 12`; empty if the value is not shown. */
function valuesText({ from, to }: Change): string {
  if (to === undefined) return '';
  const was = from === null || from === undefined ? '' : ` from ${valueText(from)}`;
  return to === null ? ` (was ${valueText(from ?? '')})` : `${was} to ${valueText(to)}`;
}

function valueText(value: string): string {
  const text = value.length > longestValue ? `${value.slice(0, longestValue)}…` : value;
  return /\s/.test(text) ? `“${text}”` : text;
}

function nameOf({ name }: Change): string {
  return (
    names[name] ??
    name
      .replaceAll(/[_-]/g, ' ')
      .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      .trim()
  );
}
