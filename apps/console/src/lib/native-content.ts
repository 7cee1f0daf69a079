import type { Schemas } from '../api/types.ts';
import { storedNumber, type Unit, unitOf } from './unit.ts';

type Technology = Schemas['LedgerTechnologyDescription'];
type Schema = Readonly<Record<string, unknown>>;

/** A form field for a member of native transaction content. */
export interface NativeMember {
  readonly name: string;
  readonly description: string | undefined;
  /** `json`: entered as JSON. */
  readonly form: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  /** Allowed values of a `choice`; empty for other fields. */
  readonly choices: readonly string[];
  readonly unit?: Unit | undefined;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the members of the native content that a user can set in addition to the options, from the
 * technology's schema. Excludes members that repeat an option, and members that name other wallets: these
 * would need the wallets' passwords.
 *
 * @param type operation type: `transfer`, `contract_call` or `contract_deploy`
 */
export function nativeMembersOf(technology: Technology, type: string): NativeMember[] {
  const saidByOptions = new Set<unknown>(Object.values(technology.content?.overrides ?? {}));
  return Object.entries(propertiesOf(technology, type)).flatMap(([name, member]): NativeMember[] => {
    if (!isSchema(member) || saidByOptions.has(name) || namesWallets(member)) return [];
    const { description, enum: choices } = member;
    const of = {
      name,
      description: typeof description === 'string' ? description.replaceAll('`', '') : undefined,
      unit: unitOf(member),
    };
    if (Array.isArray(choices)) return [{ ...of, form: 'choice', choices: choices.map(String) }];
    return [{ ...of, form: formOf(member), choices: [] }];
  });
}

function propertiesOf({ content }: Technology, type: string): Schema {
  if (content === null) return {};
  const own = 'properties' in content.schema ? content.schema : content.schema[type];
  return isSchema(own) && isSchema(own.properties) ? own.properties : {};
}

/**
 * Returns the member that holds the amount sent with a call or deployment, for which there is no option.
 * Undefined if there is none.
 */
export function amountMemberOf(technology: Technology, type: string): string | undefined {
  const amount = technology.content?.overrides?.amount;
  const isAsked = type !== 'transfer' && technology.unit !== null && typeof amount === 'string';
  return isAsked && Object.hasOwn(propertiesOf(technology, type), amount) ? amount : undefined;
}

function formOf({ type, format }: Schema): NativeMember['form'] {
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || format === 'quantity' ? 'text' : 'json';
}

function namesWallets(member: Schema): boolean {
  return member['x-wallet'] === true || (isSchema(member.items) && member.items['x-wallet'] === true);
}

/** Parses the text that the user entered; undefined if it is invalid. */
export function nativeValueOf({ form, unit }: NativeMember, typed: string): unknown {
  const text = storedNumber(typed, unit);
  if (text === undefined) return undefined;
  if (form === 'text' || form === 'choice') return text;
  if (form === 'boolean') return text === 'true';
  try {
    const value: unknown = JSON.parse(text);
    if (form !== 'number') return value;
    // JavaScript would round an integer this large to another number.
    return typeof value === 'number' && !(Number.isInteger(value) && !Number.isSafeInteger(value))
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** Native content by technology, as in the operation's `meta`. */
export type Meta = Readonly<Record<'ledger', Readonly<Record<string, object>>>>;

/**
 * Builds native content from the strings that the user entered and other values.
 * @returns undefined if nothing is set; null if a value is invalid
 */
export function nativeMetaOf(
  technology: Technology,
  type: string,
  texts: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Meta | undefined | null {
  const values = nativeMembersOf(technology, type).flatMap((member) => {
    const text = texts[member.name] ?? '';
    return text === '' ? [] : [[member.name, nativeValueOf(member, text)] as const];
  });
  const said = Object.entries(more);
  if (values.length + said.length === 0) return undefined;
  if (values.some(([, value]) => value === undefined)) return null;
  const version = technology.content?.currentVersion ?? '1';
  const native_transaction_content = Object.fromEntries([...values, ...said]);
  return { ledger: { [technology.name]: { version, native_transaction_content } } };
}
