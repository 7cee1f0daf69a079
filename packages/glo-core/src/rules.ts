import { type Path, toPointer } from './json/pointer.ts';
import { gloLimits } from './limits.ts';
import { invalid, type Problem, wrongLedger } from './problems.ts';
import { readMember } from './read-member.ts';
import { isTechnologyName } from './technologies/technology.ts';

/**
 * Rules for options that the schemas lack: the limits that keep their work small, and the target. They read raw JSON,
 * so that they apply even if the document violates the schemas elsewhere.
 */

const optionsMembers = ['options', 'params'] as const;
const locatorMembers = ['recipient', 'contract_instance', 'contract_source', 'contractInstance'] as const;

/**
 * Finds parts that exceed the limits.
 *
 * @param secretLength characters of the content's secrets
 */
export function boundProblems(input: unknown, base: string, secretLength: number): Problem[] {
  const problems: Problem[] = [];
  let length = secretLength;
  for (const member of optionsMembers) {
    const args = readMember(readMember(input, member), 'args');
    if (Array.isArray(args) && args.length > gloLimits.args) {
      const detail = `must have at most ${gloLimits.args} items`;
      problems.push(invalid(toPointer(base, [member, 'args']), detail));
    }
    length += textLength(args);
  }
  if (length > gloLimits.allText) {
    const detail = `has arguments and transient values that exceed ${gloLimits.allText} characters in total`;
    problems.push(invalid(base, detail));
  }
  return problems;
}

/** Finds ledger locators of another technology than the target's. */
export function targetProblems(input: unknown, base: string, target: string): Problem[] {
  return optionsMembers.flatMap((member) => {
    const options = readMember(input, member);
    return locatorMembers.flatMap((name) => {
      const locator = readMember(options, name);
      return locator === undefined ? [] : locatorProblems(locator, base, [member, name], target);
    });
  });
}

/** Returns a problem if a raw locator names another ledger than the target. */
export function locatorProblems(locator: unknown, base: string, path: Path, target: string): Problem[] {
  const lookup = readMember(locator, 'lookup_service');
  const named = readMember(lookup, 'value');
  if (readMember(lookup, 'type') !== 'ledger' || !isTechnologyName(named) || named === target) return [];
  return [wrongLedger(toPointer(base, [...path, 'lookup_service', 'value']), named, target)];
}

/**
 * Counts the characters of all strings in a list or object. A string that is too long on its own is reported
 * at its own pointer.
 */
function textLength(value: unknown): number {
  const members: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.reduce<number>((sum, member) => {
    const counts = typeof member === 'string' && member.length <= gloLimits.argLength;
    return counts ? sum + member.length : sum;
  }, 0);
}
