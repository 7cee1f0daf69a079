import { strict as assert } from 'node:assert';
import {
  type AdapterErrorCode,
  type AdapterProblem,
  adapterErrorCodes,
  type Phase,
} from '@ledger-ops/adapter';

const phases: readonly Phase[] = [
  'open',
  'interface',
  'wallet',
  'check',
  'estimate',
  'prepare',
  'submit',
  'confirm',
  'emulate',
  'lookup',
];

/** Fails unless the problem conforms to the adapter interface and contains none of the secrets. */
export function assertProblem(problem: AdapterProblem, where: string, secrets: readonly string[] = []): void {
  assert.ok(
    adapterErrorCodes.includes(problem.code),
    `${where}: ${problem.code} is not an error code that the adapter interface defines`,
  );
  assert.ok(
    problem.phase !== undefined && phases.includes(problem.phase),
    `${where}: ${problem.phase} is not a phase that the adapter interface defines`,
  );
  assert.ok(
    typeof problem.detail === 'string' && problem.detail.trim() !== '',
    `${where}: the problem has no detail`,
  );
  for (const { pointer, detail } of problem.issues ?? []) {
    assert.match(pointer, /^(\/.*)?$/, `${where}: ${pointer} is not a JSON Pointer`);
    assert.ok(detail !== '', `${where}: the issue at ${pointer} has no detail`);
  }
  assert.deepStrictEqual(structuredClone(problem), problem, `${where}: the problem is not plain data`);
  const text = JSON.stringify(problem);
  for (const secret of secrets) {
    assert.ok(!text.includes(secret), `${where}: the problem contains a credential of a node`);
  }
}

function problemOf(error: unknown): AdapterProblem | undefined {
  // An adapter may use another copy of the adapter package, with another error class, so only the members are
  // checked.
  if (!(error instanceof Error) || error.name !== 'AdapterError' || !('problem' in error)) return undefined;
  const { problem } = error;
  const isProblem = (value: unknown): value is AdapterProblem =>
    typeof value === 'object' && value !== null && 'code' in value && 'phase' in value && 'detail' in value;
  return isProblem(problem) ? problem : undefined;
}

/** Returns the problem of a thrown error. Fails if it is not an AdapterError. */
export function requireProblem(
  error: unknown,
  where: string,
  secrets: readonly string[] = [],
): AdapterProblem {
  const problem = problemOf(error);
  assert.ok(
    problem !== undefined,
    `${where} threw ${error instanceof Error ? `${error.name} (${error.message})` : String(error)}, which is not an AdapterError`,
  );
  assertProblem(problem, where, secrets);
  return problem;
}

/** The error that a check expects. */
export interface ExpectedRefusal {
  /** The accepted error codes. */
  codes: readonly AdapterErrorCode[];
  phase?: Phase;
  /** At least one issue points to this place or below it. */
  pointer?: string;
  /** Requires at least one issue. */
  issues?: boolean;
}

/** Fails unless the call is rejected with the expected error. */
export async function assertRefused(
  call: Promise<unknown>,
  what: string,
  expected: ExpectedRefusal,
): Promise<AdapterProblem> {
  const settled = await call.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  assert.ok(settled !== undefined, `${what} was not rejected`);
  if (settled.error instanceof assert.AssertionError) throw settled.error;
  const problem = requireProblem(settled.error, what);
  assert.ok(
    expected.codes.includes(problem.code),
    `${what} was rejected with ${problem.code} instead of ${expected.codes.join(' or ')}: ${problem.detail}`,
  );
  if (expected.phase !== undefined)
    assert.equal(
      problem.phase,
      expected.phase,
      `${what} was rejected in phase ${problem.phase} instead of ${expected.phase}`,
    );
  const pointers = (problem.issues ?? []).map((issue) => issue.pointer);
  if (expected.issues === true) assert.ok(pointers.length > 0, `${what}: no issue has a position`);
  const { pointer } = expected;
  if (pointer !== undefined) {
    assert.ok(
      pointers.some((one) => one === pointer || one.startsWith(`${pointer}/`)),
      `${what}: no issue is at ${pointer} or below; the issues are at: ${pointers.join(', ') || 'none'}`,
    );
  }
  return problem;
}
