import { gloLimits } from './limits.ts';
import { type Path, toPointer } from './pointer.ts';
import { invalid, type Problem, wrongLedger } from './problems.ts';
import { isQuantity } from './quantity.ts';
import { isObject, readMember } from './read-member.ts';
import { type Technology, technologies } from './types.ts';

/**
 * The rules that hold between members, and the bounds that keep the schemas' work small. They look at raw
 * JSON, so that they speak beside the schemas even when a document is wrong elsewhere.
 */

const ethereumContent = ['meta', 'ledger', 'ethereum', 'native_transaction_content'] as const;
const fabricContent = ['meta', 'ledger', 'hyperledger-fabric', 'native_transaction_content'] as const;
const optionsMembers = ['options', 'params'] as const;
const locatorMembers = ['recipient', 'contract_instance', 'contract_source', 'contractInstance'] as const;
const deploymentMembers = ['name', 'version', 'endorsement_policy'] as const;

/** Collections that are too large to be looked at one by one. */
export function boundProblems(input: unknown, base: string): Problem[] {
  const problems: Problem[] = [];
  const bound = (path: Path, value: unknown, maximum: number) => {
    const size = Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0;
    if (size > maximum) problems.push(invalid(toPointer(base, path), `must have at most ${maximum} items`));
  };
  for (const member of optionsMembers) {
    bound([member, 'args'], readMember(readMember(input, member), 'args'), gloLimits.args);
  }
  const meta = readMember(input, 'meta');
  // One that is too long by itself is told by its own place.
  const within = (value: unknown, longest: number) => listed(value).filter(({ length }) => length <= longest);
  const texts = [
    ...optionsMembers.flatMap((member) =>
      within(readMember(readMember(input, member), 'args'), gloLimits.argLength),
    ),
    ...within(readPath(input, [...fabricContent, 'transient']), gloLimits.transientLength),
  ];
  if (texts.reduce((sum, { length }) => sum + length, 0) > gloLimits.allText) {
    const detail = `has arguments and transient values of more than ${gloLimits.allText} characters in all`;
    problems.push(invalid(base, detail));
  }
  if (meta === undefined) return problems;
  const ethereum = readPath(input, ethereumContent);
  const list = readMember(ethereum, 'accessList');
  bound([...ethereumContent, 'accessList'], list, gloLimits.accessListEntries);
  if (Array.isArray(list) && list.length <= gloLimits.accessListEntries) {
    let total = 0;
    for (const [index, entry] of list.entries()) {
      const keys = readMember(entry, 'storageKeys');
      bound([...ethereumContent, 'accessList', index, 'storageKeys'], keys, gloLimits.storageKeys);
      if (Array.isArray(keys)) total += keys.length;
    }
    if (total > gloLimits.allStorageKeys) {
      const detail = `must have at most ${gloLimits.allStorageKeys} storage keys in all`;
      problems.push(invalid(toPointer(base, [...ethereumContent, 'accessList']), detail));
    }
  }
  const fabric = readPath(input, fabricContent);
  bound([...fabricContent, 'transient'], readMember(fabric, 'transient'), gloLimits.transientEntries);
  bound(
    [...fabricContent, 'endorsing_organizations'],
    readMember(fabric, 'endorsing_organizations'),
    gloLimits.endorsingOrganizations,
  );
  return problems;
}

/** Mistakes between members, and, with a target, ledgers of another technology. */
export function ruleProblems(input: unknown, base: string, target: Technology | undefined): Problem[] {
  const problems: Problem[] = [];
  if (target !== undefined) {
    for (const member of optionsMembers) {
      const options = readMember(input, member);
      for (const name of locatorMembers) {
        const locator = readMember(options, name);
        if (locator !== undefined) problems.push(...locatorProblems(locator, base, [member, name], target));
      }
    }
  }
  const ledgers = readMember(readMember(input, 'meta'), 'ledger');
  if (ledgers === undefined) return problems;
  for (const named of technologies) {
    if (target !== undefined && named !== target && readMember(ledgers, named) !== undefined) {
      problems.push(wrongLedger(toPointer(base, ['meta', 'ledger', named]), named, target));
    }
  }
  const type = readMember(input, 'type');
  problems.push(...ethereumProblems(readPath(input, ethereumContent), type, base));
  problems.push(...fabricProblems(readPath(input, fabricContent), type, base));
  return problems;
}

/** Says when a raw locator names another ledger than the target. */
export function locatorProblems(locator: unknown, base: string, path: Path, target: Technology): Problem[] {
  const lookup = readMember(locator, 'lookup_service');
  const value = readMember(lookup, 'value');
  const named = technologies.find((technology) => technology === value);
  if (readMember(lookup, 'type') !== 'ledger' || named === undefined || named === target) return [];
  return [wrongLedger(toPointer(base, [...path, 'lookup_service', 'value']), named, target)];
}

/** The texts of a list or of an object. */
function listed(value: unknown): string[] {
  const members: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.filter((member) => typeof member === 'string');
}

function ethereumProblems(content: unknown, type: unknown, base: string): Problem[] {
  const problems: Problem[] = [];
  const at = (member: string) => toPointer(base, [...ethereumContent, member]);
  const gasPrice = readMember(content, 'gasPrice');
  const maximum = readMember(content, 'maxFeePerGas');
  const priority = readMember(content, 'maxPriorityFeePerGas');
  if (gasPrice !== undefined && (maximum !== undefined || priority !== undefined)) {
    const detail =
      'makes a legacy transaction and cannot stand beside maxFeePerGas or maxPriorityFeePerGas; give one or the other';
    problems.push(invalid(at('gasPrice'), detail));
  }
  if (isQuantity(maximum) && isQuantity(priority) && BigInt(priority) > BigInt(maximum)) {
    problems.push(invalid(at('maxPriorityFeePerGas'), 'must not be more than maxFeePerGas'));
  }
  if (type === 'contract_deploy' && readMember(content, 'to') !== undefined) {
    problems.push(
      invalid(at('to'), 'cannot be given for a contract_deploy, which has no recipient; remove it'),
    );
  }
  return problems;
}

function fabricProblems(content: unknown, type: unknown, base: string): Problem[] {
  const problems: Problem[] = [];
  const at = (...members: string[]) => toPointer(base, [...fabricContent, ...members]);
  for (const member of deploymentMembers) {
    if (type !== 'contract_deploy' && readMember(content, member) !== undefined) {
      problems.push(invalid(at(member), 'can be given for a contract_deploy only; remove it'));
    }
  }
  const transient = readMember(content, 'transient');
  if (isObject(transient) && Object.hasOwn(transient, '__proto__')) {
    problems.push(invalid(at('transient', '__proto__'), 'is not a usable name'));
  }
  return problems;
}

function readPath(input: unknown, path: readonly string[]): unknown {
  let value = input;
  for (const member of path) {
    value = readMember(value, member);
    if (value === undefined) return undefined;
  }
  return value;
}
