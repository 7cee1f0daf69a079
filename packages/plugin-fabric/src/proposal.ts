import { createHash } from 'node:crypto';
import type { Identity } from '@hyperledger/fabric-gateway';
import { adapterError, type JsonObject, type Round, type SigningRequest } from '@ledger-ops/adapter';
import { z } from 'zod';
import { grpcCode, PeerError } from './gateway/peer-error.ts';
import type { Peers } from './gateway/peers.ts';
import { proposalOptions, type Query } from './gateway/query.ts';
import type { MemberIdentity } from './msp/msp.ts';

/** State between rounds: a proposal or a transaction that waits for its signature. */
export type SigningState =
  | {
      step: 'proposal';
      channel: string;
      /** `gateway.ProposedTransaction`; contains transient data. */
      bytes: Uint8Array;
      plan: JsonObject;
      identity: MemberIdentity;
      /** Whether this is a query whose answer decides the next proposal. A query is not endorsed. */
      query?: boolean | undefined;
    }
  | {
      step: 'transaction';
      txId: string;
      channel: string;
      /** Payload of the envelope. */
      payload: Uint8Array;
      plan: JsonObject;
    };

const bytes = z.instanceof(Uint8Array);
const plan = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null);
const identity = z.object({ mspId: z.string(), certificate: z.string() });
const schema = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('proposal'),
    channel: z.string(),
    bytes,
    plan,
    identity,
    query: z.boolean().optional(),
  }),
  z.object({ step: z.literal('transaction'), txId: z.string(), channel: z.string(), payload: bytes, plan }),
]);

/** @throws AdapterError `invalid-argument` */
export function readSigningState(state: unknown): SigningState {
  const parsed = schema.safeParse(state);
  if (parsed.success) return parsed.data;
  throw adapterError('invalid-argument', 'The state is not a signing state that this adapter returned.', {
    phase: 'prepare',
    issues: [{ pointer: '/state', detail: 'is not a signing state that this adapter returned' }],
  });
}

/**
 * Returns a wallet's proposal: its id, its bytes, and the message to sign.
 *
 * @throws PeerError if no node may be reached
 */
export async function newProposal(
  peers: Peers,
  member: MemberIdentity,
  query: Query,
): Promise<{ txId: string; bytes: Uint8Array; message: Uint8Array }> {
  const [peer] = peers.order();
  if (peer === undefined) throw new PeerError(grpcCode.unavailable, 'The ledger has no nodes. Add one.');
  const gateway = await peer.gateway(gatewayIdentity(member));
  const proposal = gateway
    .getNetwork(query.channel)
    .getContract(query.chaincode, query.contract)
    .newProposal(query.method, proposalOptions(query));
  return {
    txId: proposal.getTransactionId(),
    bytes: proposal.getBytes(),
    // The gateway's digest is the message itself: see `Peer.gateway`.
    message: plainBytes(proposal.getDigest()),
  };
}

function gatewayIdentity({ mspId, certificate }: MemberIdentity): Identity {
  return { mspId, credentials: Buffer.from(certificate) };
}

/** Returns a round that requests one signature, over the SHA-256 of a message. */
export function askSignature<Result>(message: Uint8Array, state: SigningState): Round<Result> {
  return { done: false, requests: [signingRequest(message)], state };
}

/** Contains the whole message, which the host signs natively. */
export function signingRequest(message: Uint8Array): SigningRequest {
  return { curve: 'p256', digest: sha256(message), message };
}

export function sha256(message: Uint8Array): Uint8Array {
  return plainBytes(createHash('sha256').update(message).digest());
}

/**
 * Returns a Uint8Array that is not a Buffer: values are cloned when they are passed to the host, which would change the
 * class of a Buffer.
 */
export function plainBytes(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length).slice();
}
