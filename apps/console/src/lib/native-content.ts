import type { Schemas } from '../api/types.ts';

type Technology = Schemas['LedgerTechnologyDescription'];
type Schema = Readonly<Record<string, unknown>>;

/** A member of native transaction content, as a form asks for it. */
export interface NativeMember {
  readonly name: string;
  readonly description: string | undefined;
  /** `json`: of a shape that is written as JSON text. */
  readonly form: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  /** Of a choice; else none. */
  readonly choices: readonly string[];
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Members of its transaction that a technology lets an operation set beside its options, by its schema. Left out is what the options
 * say already, and what names other wallets, whose passwords would have to come along.
 * @param type of the operation: `transfer`, `contract_call` or `contract_deploy`
 */
export function nativeMembersOf(technology: Technology, type: string): NativeMember[] {
  const saidByOptions = new Set<unknown>(Object.values(technology.content?.overrides ?? {}));
  return Object.entries(propertiesOf(technology, type)).flatMap(([name, member]): NativeMember[] => {
    if (!isSchema(member) || saidByOptions.has(name) || namesWallets(member)) return [];
    const { description, enum: choices } = member;
    const of = { name, description: typeof description === 'string' ? description : undefined };
    if (Array.isArray(choices)) return [{ ...of, form: 'choice', choices: choices.map(String) }];
    return [{ ...of, form: formOf(member), choices: [] }];
  });
}

function propertiesOf({ content }: Technology, type: string): Schema {
  if (content === null) return {};
  const own = 'properties' in content.schema ? content.schema : content.schema[type];
  return isSchema(own) && isSchema(own.properties) ? own.properties : {};
}

/** The member that says which amount a call or a deployment takes along, whose options say none; undefined: none does. */
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

/** The value of a text that was typed; undefined: it is no such value. */
export function nativeValueOf({ form }: NativeMember, text: string): unknown {
  if (form === 'text' || form === 'choice') return text;
  if (form === 'boolean') return text === 'true';
  try {
    const value: unknown = JSON.parse(text);
    if (form !== 'number') return value;
    // Of a whole number that is too large another one would be sent.
    return typeof value === 'number' && !(Number.isInteger(value) && !Number.isSafeInteger(value))
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** Values of `meta`, of a technology's native content. */
export type Meta = Readonly<Record<'ledger', Readonly<Record<string, object>>>>;

/**
 * Native content as it was typed, by the names of its members, and what is said elsewhere.
 *
 * @returns undefined: nothing is set; null: something cannot be read
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
