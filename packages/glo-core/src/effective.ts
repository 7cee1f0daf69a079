import type { JsonObject } from './json/json-values.ts';
import { invalid, kindOf, type Problem, toError, wrongLedger } from './problems.ts';
import { parseQuantityAt } from './quantity.ts';
import type { GloTechnology } from './technologies/technology.ts';
import type { ContractLocator, Effective, Glo, LedgerLocator, NativeContent, Override } from './types.ts';

/**
 * Applies precedence for a ledger of one technology: if meta and options conflict, meta wins, and the list of overrides
 * reports the changes. An override is listed only if the values differ: quantities are compared as numbers, and
 * addresses case-insensitively if the technology says so.
 *
 * The technology's `overrides` names the members of content that override options:
 * - `address` overrides the recipient or contract, `amount` the amount, `data` the method and arguments (or source
 *   and arguments). An `amount` with a call and `data` with a transfer add to options that had no value (`from` null).
 * - `addressParts` override those parts of a ledger locator; all but the last together override any contract locator.
 *   Parts that remain open stay in `native`, to be applied to the contract that the service finds.
 *
 * @throws {GloError} with code `wrong-ledger` if a locator or meta names another technology.
 */
export function effectiveOperation(glo: Glo, technology: GloTechnology): Effective {
  const name = technology.technology;
  const problems = targetProblems(glo, name);
  if (problems.length > 0) throw toError(problems);
  const given = glo.meta === undefined || !Object.hasOwn(glo.meta, name) ? undefined : glo.meta[name];
  const content = given?.content ?? {};
  const { overrides: names } = technology;
  const merge = {
    technology: name,
    ignoreCase: names.ignoreCase === true,
    address: textOf(content, names.address, name),
    amount: quantityOf(content, names.amount, name),
    data: textOf(content, names.data, name),
    overrides: [],
  };
  const left = without(content, [names.address, names.amount, names.data]);
  return { operation: operationOf(glo, merge, left, names.addressParts), overrides: merge.overrides };
}

/** Content that overrides options, and the resulting changes. */
interface Merge {
  technology: string;
  ignoreCase: boolean;
  address: string | undefined;
  amount: bigint | undefined;
  data: string | undefined;
  overrides: Override[];
}

function operationOf(
  glo: Glo,
  merge: Merge,
  left: JsonObject,
  addressParts: readonly string[] = [],
): Effective['operation'] {
  const { technology, data, overrides } = merge;
  const native: NativeContent = { technology, content: left };
  switch (glo.type) {
    case 'transfer': {
      const recipient = replace(glo.options.recipient, 'recipient', merge);
      const amount = merge.amount ?? glo.options.amount;
      if (amount !== glo.options.amount) {
        overrides.push({ field: 'amount', from: glo.options.amount.toString(), to: amount.toString() });
      }
      // Only meta can add data to a transfer.
      if (data === undefined || data === '' || data === '0x')
        return { type: 'transfer', recipient, amount, native };
      overrides.push({ field: 'data', from: null, to: data });
      return { type: 'transfer', recipient, amount, data, native };
    }
    case 'contract_call': {
      const { contractInstance, methodName, args } = glo.options;
      const replaced = replace(contractInstance, 'contract_instance', merge);
      const joined = joinedAddress(replaced, left, addressParts, technology);
      const contract =
        joined === undefined ? replaced : instead(replaced, joined, 'contract_instance', merge);
      const kept = joined === undefined ? native : { technology, content: without(left, addressParts) };
      const what = data === undefined ? { method: { name: methodName, args } } : { data };
      if (data !== undefined) overrides.push(...replacedBy(data, 'method_name', methodName, args));
      return { type: 'contract_call', contract, ...what, value: sent(merge), native: kept };
    }
    case 'contract_deploy': {
      const { contractSource: source, args } = glo.options;
      const what = data === undefined ? { source, args } : { args: [], data };
      if (data !== undefined) overrides.push(...replacedBy(data, 'contract_source', source.resource, args));
      return { type: 'contract_deploy', ...what, value: sent(merge), native };
    }
  }
}

function replace<L extends ContractLocator>(locator: L, field: string, merge: Merge): L | LedgerLocator {
  return merge.address === undefined ? locator : instead(locator, merge.address, field, merge);
}

/** Returns the locator of a resource that meta names, or the given locator if it is the same resource. */
function instead<L extends ContractLocator>(
  locator: L,
  resource: string,
  field: string,
  { technology, ignoreCase, overrides }: Merge,
): L | LedgerLocator {
  // A service id that looks like an address may be another account, so it never counts as equal.
  if (locator.type !== 'service' && isSame(locator.resource, resource, ignoreCase)) return locator;
  overrides.push({ field, from: locator.resource, to: resource });
  return { type: 'ledger', technology, resource };
}

function isSame(a: string, b: string, ignoreCase: boolean): boolean {
  return ignoreCase ? a.toLowerCase() === b.toLowerCase() : a === b;
}

/**
 * Returns the address after meta replaced its parts; `undefined` if meta names no parts, or the remaining
 * parts are unknown here.
 */
function joinedAddress(
  locator: ContractLocator,
  content: JsonObject,
  names: readonly string[],
  technology: string,
): string | undefined {
  if (names.length === 0) return undefined;
  const given = names.map((name) => textOf(content, name, technology));
  if (given.every((part) => part === undefined)) return undefined;
  const parts = locator.type === 'ledger' ? locator.resource.split('/') : [];
  const old = parts.length === names.length || parts.length === names.length - 1 ? parts : [];
  const merged = given.map((part, index) => part ?? old[index]);
  if (merged.slice(0, -1).includes(undefined)) return undefined;
  return merged.filter((part) => part !== undefined).join('/');
}

function replacedBy(data: string, field: string, from: string, args: string[]): Override[] {
  const override = { field, from, to: data };
  return args.length === 0 ? [override] : [override, { field: 'args', from: args, to: data }];
}

function sent({ amount, overrides }: Merge): bigint {
  if (amount === undefined || amount === 0n) return 0n;
  overrides.push({ field: 'value', from: null, to: amount.toString() });
  return amount;
}

function textOf(content: JsonObject, member: string | undefined, technology: string): string | undefined {
  const value = member === undefined || !Object.hasOwn(content, member) ? undefined : content[member];
  if (value === undefined || typeof value === 'string') return value;
  throw toError([invalid(pointerOf(technology, member), `must be text, not ${kindOf(value)}`)]);
}

function quantityOf(content: JsonObject, member: string | undefined, technology: string): bigint | undefined {
  const value = member === undefined || !Object.hasOwn(content, member) ? undefined : content[member];
  return value === undefined ? undefined : parseQuantityAt(value, pointerOf(technology, member));
}

function pointerOf(technology: string, member: string | undefined): string {
  return `/meta/ledger/${technology}/native_transaction_content/${member}`;
}

/** Returns the content without some of its members, or the content itself if it has none of them. */
function without(content: JsonObject, members: readonly (string | undefined)[]): JsonObject {
  if (!members.some((name) => name !== undefined && Object.hasOwn(content, name))) return content;
  return Object.fromEntries(Object.entries(content).filter(([name]) => !members.includes(name)));
}

function targetProblems(glo: Glo, target: string): Problem[] {
  const problems: Problem[] = [];
  const [member, locator] = locatorOf(glo);
  if (locator.type === 'ledger' && locator.technology !== target) {
    problems.push(wrongLedger(`/options/${member}/lookup_service/value`, locator.technology, target));
  }
  for (const named of Object.keys(glo.meta ?? {})) {
    if (named !== target) problems.push(wrongLedger(`/meta/ledger/${named}`, named, target));
  }
  return problems;
}

function locatorOf(glo: Glo): [member: string, locator: ContractLocator] {
  switch (glo.type) {
    case 'transfer':
      return ['recipient', glo.options.recipient];
    case 'contract_call':
      return ['contract_instance', glo.options.contractInstance];
    case 'contract_deploy':
      return ['contract_source', glo.options.contractSource];
  }
}
