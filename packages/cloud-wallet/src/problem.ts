import {
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

/** Problems of the protocol itself, in addition to those of adapters. */
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

/** Returns the type and title of a problem. `name` is the last part of the type. */
export function typeAndTitle(name: string): Pick<ProblemMessage, 'type' | 'title'> {
  const words = name.replaceAll('-', ' ');
  return { type: `${prefix}${name}`, title: `${words.charAt(0).toUpperCase()}${words.slice(1)}` };
}

function isCode(name: string): name is AdapterErrorCode {
  return adapterErrorCodes.some((code) => code === name);
}

const optionsPointer = '/glo/options';

/** Converts a problem of the protocol to one of adapters, attributed to the plugin. An unknown type is a refusal. */
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
