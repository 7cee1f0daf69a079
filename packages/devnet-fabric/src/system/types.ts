import type { ChaincodeResponse } from '../chaincode/types.ts';
import type { Member } from '../identity/membership.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Simulation } from '../ledger/simulation.ts';
import type { Proposal } from '../messages/proposal.ts';

/** A call of a chaincode that is part of the peer. */
export interface SystemInvocation {
  /** The organization whose peer is asked. */
  mspId: string;
  /** Already checked: a member whose signature is right. */
  creator: Member;
  proposal: Proposal;
  /** Absent where there is no channel, and for what only reads the chain. */
  simulation: Simulation | undefined;
}

/** A chaincode that is part of the peer. */
export interface SystemChaincode {
  name: string;
  /** Whether it reads and writes the channel's state. */
  simulates: boolean;
  invoke(invocation: SystemInvocation): ChaincodeResponse | Promise<ChaincodeResponse>;
}

export interface SystemContext {
  ledger: Ledger;
  organizations: readonly string[];
}

/** A successful answer. */
export function success(payload: Uint8Array = new Uint8Array()): ChaincodeResponse {
  return { status: 200, message: '', payload };
}

/** A refusal, which a client gets as `chaincode response <status>, <message>`. */
export function failure(message: string, status = 500): ChaincodeResponse {
  return { status, message, payload: new Uint8Array() };
}

/** An argument as text; absent is empty. */
export function text(argument: Uint8Array | undefined): string {
  return Buffer.from(argument ?? []).toString();
}
