import type { ChaincodeResponse } from '../chaincode/types.ts';
import type { Member } from '../identity/membership.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Simulation } from '../ledger/simulation.ts';
import type { Proposal } from '../messages/proposal.ts';

/** A call to a system chaincode. */
export interface SystemInvocation {
  /** The organization of the called peer. */
  mspId: string;
  /** A member whose signature has been verified. */
  creator: Member;
  /** The client's proposal. Its input is the input of this call, even if another chaincode makes the call. */
  proposal: Proposal;
  /** Absent for calls without a channel, and for chaincodes that only read the chain. */
  simulation: Simulation | undefined;
}

/** A system chaincode, which is part of the peer. */
export interface SystemChaincode {
  name: string;
  /** Whether the chaincode reads and writes the channel's state. */
  simulates: boolean;
  invoke(invocation: SystemInvocation): ChaincodeResponse | Promise<ChaincodeResponse>;
}

export interface SystemContext {
  ledger: Ledger;
  organizations: readonly string[];
}

export function success(payload: Uint8Array = new Uint8Array()): ChaincodeResponse {
  return { status: 200, message: '', payload };
}

/** Returns an error, which a client receives as `chaincode response <status>, <message>`. */
export function failure(message: string, status = 500): ChaincodeResponse {
  return { status, message, payload: new Uint8Array() };
}

/** Returns an argument as a string; empty if absent. */
export function text(argument: Uint8Array | undefined): string {
  return Buffer.from(argument ?? []).toString();
}
