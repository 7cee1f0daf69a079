import { AssertionError } from 'node:assert';
import { isNativeError } from 'node:util/types';
import type { Clause } from './clauses.ts';

/** Result of one check. */
export type Finding =
  | { clause: string; status: 'passed' }
  | { clause: string; status: 'skipped'; reasons: string[]; unproved: string[] }
  | {
      clause: string;
      status: 'failed';
      problem: string;
      expected?: string;
      actual?: string;
      /** Hints for debugging: requests with their responses (newest last), or places in the code. */
      lookAt: string[];
    };

/** The JSON document of `--report json`. */
export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  /** Declared capabilities, and requirements on every plugin, that skipped checks would have proved. */
  unproved: { subject: string; reasons: string[] }[];
  clauses: Finding[];
}

/** Stack frames of a failure. The author's own code comes first. */
function placesOf(error: Error): string[] {
  const frames = (error.stack ?? '').split('\n').flatMap((line) => /^\s+at (.*)$/.exec(line)?.[1] ?? []);
  const known = frames.filter((frame) => !frame.includes('node:'));
  const own = known.filter((frame) => !frame.includes('adapter-kit'));
  return (own.length > 0 ? own : known).slice(0, 3);
}

const texted = (value: unknown) =>
  typeof value === 'bigint' ? `${value}` : (JSON.stringify(value, bigints) ?? String(value));
const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);

function failure(clause: Clause, error: unknown): Finding {
  const steps = clause.steps().slice(-3);
  const finding = { clause: clause.name, status: 'failed' } as const;
  if (!isNativeError(error)) return { ...finding, problem: String(error), lookAt: steps };
  const lookAt = steps.length > 0 ? steps : placesOf(error);
  const compared = error instanceof AssertionError && error.expected !== undefined;
  if (!compared) return { ...finding, problem: error.message, lookAt };
  return {
    ...finding,
    // Node appends its own comparison to some messages, after an empty line.
    problem: error.message.split('\n\n')[0] ?? '',
    expected: texted(error.expected),
    actual: texted(error.actual),
    lookAt,
  };
}

/** Runs a check. A failure becomes a finding. */
export async function prove(clause: Clause): Promise<Finding> {
  try {
    return { clause: clause.name, ...(await clause.prove()) };
  } catch (error) {
    return failure(clause, error);
  }
}

/** Formats a finding for the text report. */
export function lines(finding: Finding): string {
  switch (finding.status) {
    case 'passed':
      return `pass  ${finding.clause}`;
    case 'skipped':
      return `skip  ${finding.clause} (${finding.reasons.join('; ')})`;
    case 'failed': {
      const { clause, problem, expected, actual, lookAt } = finding;
      return [
        `FAIL  ${clause}`,
        `      ${problem}`,
        ...(expected === undefined ? [] : [`      expected: ${expected}`, `      actual:   ${actual}`]),
        ...lookAt.map((place) => `      look at: ${place}`),
      ].join('\n');
    }
  }
}

export function summarise(clauses: Finding[]): Report {
  const count = (status: Finding['status']) => clauses.filter((finding) => finding.status === status).length;
  const reasons = new Map<string, Set<string>>();
  for (const finding of clauses) {
    if (finding.status !== 'skipped') continue;
    for (const subject of finding.unproved) {
      const its = reasons.get(subject) ?? new Set();
      reasons.set(subject, new Set([...its, ...finding.reasons]));
    }
  }
  const unproved = [...reasons].map(([subject, its]) => ({ subject, reasons: [...its] }));
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  return { passed, failed, skipped, unproved, clauses };
}

/** Returns the last lines of the text report. */
export function summaryLines({ passed, failed, skipped, unproved }: Report): string {
  return [
    ...unproved.map(({ subject, reasons }) => `unproved: ${subject} (${reasons.join('; ')})`),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ].join('\n');
}
