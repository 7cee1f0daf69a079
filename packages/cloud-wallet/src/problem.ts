import {
  AdapterError,
  type AdapterErrorCode,
  type AdapterProblem,
  adapterErrorCodes,
  type Phase,
} from '@ledger-ops/adapter';
import type { ProblemMessage } from '@ledger-ops/adapter/cloud-wallet';
import { problemSaidBy } from '@ledger-ops/adapter/words';

const prefix = 'urn:ledger-ops:problem:';

/** HTTP status of each code. */
export const statusOfCode: Record<AdapterErrorCode, number> = {
  'invalid-argument': 400,
  'ambiguous-method': 400,
  'unknown-method': 422,
  'unknown-contract': 422,
  'system-contract': 403,
  'unsupported-operation': 422,
  'wrong-sender': 422,
  'wrong-chain': 422,
  'insufficient-funds': 422,
  'fee-above-cap': 422,
  reverted: 422,
  'out-of-gas': 422,
  refused: 422,
  'certificate-invalid': 422,
  'endorsement-failed': 422,
  invalidated: 409,
  'approvals-missing': 409,
  unavailable: 503,
  timeout: 504,
  'not-opened': 422,
  'adapter-fault': 500,
};

/** Problems of the protocol itself, beside those of adapters. */
export const hostProblems = {
  'invalid-request': 400,
  'invalid-json': 400,
  'access-token-invalid': 401,
  'wrong-wallet-password': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'already-exists': 409,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  expired: 422,
} as const satisfies Record<string, number>;

function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A problem of the protocol. `name` is the last part of its type. */
export function problemMessageOf(
  name: string,
  status: number,
  detail: string,
  errors: readonly { pointer: string; detail: string }[] = [],
): ProblemMessage {
  const base = { type: `${prefix}${name}`, title: titleOf(name), status, detail };
  return errors.length === 0 ? base : { ...base, errors: [...errors] };
}

/** An adapter's problem as the protocol has it. `locate` turns the adapter's pointers into the body's. */
export function toMessage(
  problem: AdapterProblem,
  locate: (pointer: string) => string = (pointer) => pointer,
): ProblemMessage {
  const errors = (problem.issues ?? []).map(({ pointer, detail }) => ({ pointer: locate(pointer), detail }));
  return problemMessageOf(problem.code, statusOfCode[problem.code], problem.detail, errors);
}

function isCode(name: string): name is AdapterErrorCode {
  return adapterErrorCodes.some((code) => code === name);
}

const optionsPointer = '/glo/options';

/** A problem of the protocol as an adapter's, in the plugin's words. What is of no known type is a refusal. */
export function fromMessage(
  plugin: string,
  { type, status, detail, errors }: ProblemMessage,
  phase: Phase,
): AdapterProblem {
  const name = type.startsWith(prefix) ? type.slice(prefix.length) : '';
  const byStatus = status === 400 ? 'invalid-argument' : 'refused';
  const issues = (errors ?? []).map(({ pointer, detail: what }) => ({
    pointer: pointer.startsWith(optionsPointer) ? pointer.slice(optionsPointer.length) : pointer,
    detail: what,
  }));
  const code = isCode(name) ? name : byStatus;
  return problemSaidBy(plugin, { code, phase, detail, ...(issues.length === 0 ? {} : { issues }) });
}

/** Why a plugin refused a request, for whoever answers it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: ProblemMessage;

  constructor(problem: ProblemMessage) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Shorthand for throwing. */
export function refusal(
  name: string,
  status: number,
  detail: string,
  errors: readonly { pointer: string; detail: string }[] = [],
): Refusal {
  return new Refusal(problemMessageOf(name, status, detail, errors));
}

/** Whatever was thrown, as a problem of the protocol. Unknown errors do not show what they say. */
export function messageOfError(error: unknown): ProblemMessage {
  if (error instanceof Refusal) return error.problem;
  if (error instanceof AdapterError) {
    return toMessage(error.problem, (pointer) => `${optionsPointer}${pointer}`);
  }
  return problemMessageOf('adapter-fault', 500, 'The plugin failed in a way of its own. Its log says more.');
}
