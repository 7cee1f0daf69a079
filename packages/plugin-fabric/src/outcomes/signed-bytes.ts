import type { JsonObject } from '@ledger-ops/adapter';
import { BinaryReader } from 'google-protobuf';
import { field } from '../gateway/gateway-client.ts';

/**
 * Signed bytes as the host stores them. A transaction has the form of the gateway library
 * (`gateway.PreparedTransaction`: 1 id, 2 envelope), so that the library's `newTransaction(bytes)` reads it.
 * After these, the bytes may contain fields of this adapter, whose numbers Fabric's messages do not use, so
 * other readers skip them.
 */
export type SignedBytes = {
  txId: string;
  /** The plan from which the action continues. Present if it may need another transaction after this one. */
  plan?: JsonObject;
} & (
  | { kind: 'transaction'; envelope: Uint8Array }
  | { kind: 'installation'; signedProposal: Uint8Array }
  /** Present if no step is left to send. Then the plan contains the reason. */
  | { kind: 'nothing' }
);

const members = { txId: 1, envelope: 2, signedProposal: 1000, plan: 1001 } as const;

export function encodeSigned(signed: SignedBytes): Uint8Array {
  const parts = [field(members.txId, Buffer.from(signed.txId))];
  if (signed.kind === 'transaction') parts.push(field(members.envelope, signed.envelope));
  if (signed.kind === 'installation') parts.push(field(members.signedProposal, signed.signedProposal));
  if (signed.plan !== undefined) parts.push(field(members.plan, Buffer.from(JSON.stringify(signed.plan))));
  return Uint8Array.from(Buffer.concat(parts));
}

/** Returns undefined if this adapter did not create the bytes. */
export function decodeSigned(bytes: Uint8Array): SignedBytes | undefined {
  const found = new Map<number, Uint8Array>();
  try {
    const queries = new BinaryReader(bytes);
    while (queries.nextField()) {
      if (!queries.isDelimited()) return undefined;
      found.set(queries.getFieldNumber(), queries.readBytes());
    }
    const txId = Buffer.from(found.get(members.txId) ?? []).toString();
    if (!/^[0-9a-f]{64}$/.test(txId)) return undefined;
    const text = found.get(members.plan);
    const plan = text === undefined ? {} : { plan: readJson(text) };
    const envelope = found.get(members.envelope);
    if (envelope !== undefined) return { kind: 'transaction', txId, envelope, ...plan };
    const signedProposal = found.get(members.signedProposal);
    if (signedProposal !== undefined) return { kind: 'installation', txId, signedProposal, ...plan };
    return plan.plan === undefined ? undefined : { kind: 'nothing', txId, ...plan };
  } catch {
    return undefined;
  }
}

function readJson(bytes: Uint8Array): JsonObject {
  const json: JsonObject = JSON.parse(Buffer.from(bytes).toString());
  return json;
}
