import { createHash } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import type { SignedTransaction, Submitted } from '@ledger-ops/adapter';
import type { Faults } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toDer } from '../src/identity/ecdsa.ts';
import { decodeSigned, encodeSigned } from '../src/outcomes/signed-bytes.ts';
import { isDevnet, openNetwork, skipped, type TestNetwork } from './network.ts';
import { ledgerOf, userOf } from './profile.ts';
import { type Actor, freshKey, importWallet, openSession, roleCall, settle, sign } from './stage.ts';

const commitTimeout = 10_000;
/** How far the session's clock is ahead, in milliseconds. */
let ahead = 0;
let network: TestNetwork;
let actor: Actor;

beforeAll(async () => {
  network = await openNetwork();
  actor = await enterAhead();
});
afterAll(async () => {
  await actor?.session.close();
  await network?.close();
});

async function enterAhead(): Promise<Actor> {
  const ledger = ledgerOf(network.profile, { properties: { commit_timeout: commitTimeout } });
  const opened = await openSession(ledger, { now: () => Date.now() + ahead });
  const member = userOf(network.profile, 0);
  return { ...opened, wallet: await importWallet(opened.session, member), signer: member.signer };
}

const write = () => sign(actor, roleCall(network.profile, 'write', { key: freshKey() }));

/** Sends a transaction like a host that does not know whether it has sent the transaction before. */
async function sendAgain(
  { txId, bytes }: SignedTransaction,
  { session } = actor,
): Promise<Submitted | undefined> {
  const [answer] = await session.submit([{ txId, bytes }]);
  return answer;
}

/** Returns a transaction with the signature of other bytes. It violates the writers policy of every orderer. */
async function forged(): Promise<SignedTransaction> {
  const signed = await write();
  const decoded = decodeSigned(signed.bytes);
  if (decoded?.kind !== 'transaction') throw new TypeError('The bytes are not a transaction.');
  const digest = Uint8Array.from(createHash('sha256').update('something else').digest());
  const envelope = common.Envelope.deserializeBinary(decoded.envelope);
  envelope.setSignature(toDer(actor.signer.sign({ curve: 'p256', digest }), 'prepare'));
  return { ...signed, bytes: encodeSigned({ ...decoded, envelope: envelope.serializeBinary() }) };
}

const forbidden = {
  code: 'refused',
  detail: expect.stringMatching(/status=FORBIDDEN, info=.*permission denied/),
};

test('rejects a transaction that an orderer forbids when no other orderer can have accepted it', async () => {
  const transaction = await forged();
  const { txId, bytes } = transaction;
  const [answer] = await actor.session.submit([{ txId, bytes, first: true }]);
  expect(answer).toMatchObject({ status: 'refused', problem: forbidden });
  ahead += commitTimeout;
  expect(await sendAgain(transaction)).toMatchObject({ status: 'rejected', problem: forbidden });
});

test('if an orderer keeps forbidding a transaction, rejects it when peers confirm that no ledger contains it', async () => {
  const transaction = await forged();
  expect(await sendAgain(transaction)).toMatchObject({ status: 'refused', problem: forbidden });
  ahead += commitTimeout;
  expect(await sendAgain(transaction)).toMatchObject({ status: 'rejected', problem: forbidden });
});

function faults(): Faults {
  if (network.devnet === undefined) throw new TypeError('There is no development network.');
  return network.devnet.faults;
}

const reason = isDevnet ? undefined : 'tests do not disturb an external network';

describe.skipIf(skipped(reason, 'refusals of valid transactions'))(
  'an orderer that refuses valid transactions',
  () => {
    test('a transaction that is in a block is not rejected, even if an orderer refuses it', async () => {
      const transaction = await write();
      expect(await sendAgain(transaction)).toMatchObject({ status: 'accepted' });
      await settle(actor.session, [transaction.txId]);
      // Another session does not know that the transaction was accepted.
      const other = await enterAhead();
      faults().ordererRefuses = true;
      expect(await sendAgain(transaction, other)).toMatchObject({ status: 'refused', problem: forbidden });
      ahead += commitTimeout;
      expect(await sendAgain(transaction, other)).toMatchObject({ status: 'refused', problem: forbidden });
      faults().ordererRefuses = false;
      await other.session.close();
    });

    test('a transaction that an orderer refused can be accepted later', async () => {
      const transaction = await write();
      faults().ordererRefuses = true;
      expect(await sendAgain(transaction)).toMatchObject({ status: 'refused', problem: forbidden });
      faults().ordererRefuses = false;
      expect(await sendAgain(transaction)).toMatchObject({ status: 'accepted' });
      const { outcomes } = await settle(actor.session, [transaction.txId]);
      expect(outcomes.get(transaction.txId)?.status).toBe('succeeded');
    });
  },
);
