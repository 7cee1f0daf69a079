import { randomBytes } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { common, gateway as messages, peer } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { signerOf } from '../../src/identity/signer.ts';
import { policyBytes } from '../../src/policy/parse.ts';
import { fulfils } from '../../src/policy/signature-policy.ts';
import { clientOf, deploy, organization, shareNetwork, text, user } from './network.ts';

const sharedNetwork = shareNetwork();

const code = peer.TxValidationCode;

test('refuses bytes that are not messages and keeps running', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, member } = await user(network, 'basic');
  const { endorser, connection } = clientOf(organization(network, 0), member);
  const garbage = [
    new Uint8Array(),
    Buffer.from([0xff]),
    ...Array.from({ length: 20 }, (_, at) => randomBytes(at * 7)),
  ];
  const call = (path: string, request: { serializeBinary(): Uint8Array }) =>
    new Promise<number>((resolve) => {
      connection.makeUnaryRequest(
        ...[path, (one: typeof request) => Buffer.from(one.serializeBinary()), (bytes: Buffer) => bytes],
        ...[request, (error: { code: number } | null) => resolve(error?.code ?? status.OK)],
      );
    });
  for (const bytes of garbage) {
    const signed = new peer.SignedProposal();
    signed.setProposalBytes(bytes);
    signed.setSignature(bytes);
    const refused = await new Promise<number>((resolve) => {
      endorser.processProposal(signed, (error) => resolve(error?.code ?? status.OK));
    });
    expect(refused).toBe(status.UNKNOWN);
    const endorse = new messages.EndorseRequest();
    endorse.setProposedTransaction(signed);
    expect(await call('/gateway.Gateway/Endorse', endorse)).toBe(status.INVALID_ARGUMENT);
    const evaluate = new messages.EvaluateRequest();
    evaluate.setProposedTransaction(signed);
    expect(await call('/gateway.Gateway/Evaluate', evaluate)).toBe(status.INVALID_ARGUMENT);
    const envelope = new common.Envelope();
    envelope.setPayload(bytes);
    envelope.setSignature(Buffer.from([1]));
    const submit = new messages.SubmitRequest();
    submit.setChannelId(network.channel);
    submit.setPreparedTransaction(envelope);
    expect(await call('/gateway.Gateway/Submit', submit)).toBe(status.ABORTED);
    const commit = new messages.SignedCommitStatusRequest();
    commit.setRequest(bytes);
    const statuses: number[] = [status.INVALID_ARGUMENT, status.PERMISSION_DENIED];
    expect(statuses).toContain(await call('/gateway.Gateway/CommitStatus', commit));
  }
  await contract.submitTransaction('put', 'a', '1');
});

test('each kind of inconsistent signed transaction gets its own validation code', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, gateway, member } = await user(network, 'basic');
  const signer = signerOf(member);
  /**
   * Changes an endorsed transaction, signs it as its creator, submits it, and returns its validation code.
   */
  const forged = async (change: (parts: Parts) => void) => {
    const endorsed = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
    const parts = takeApart(endorsed.getBytes());
    change(parts);
    const { envelope, txId } = putTogether(parts, (bytes) => signer.sign(bytes));
    const prepared = new messages.PreparedTransaction();
    prepared.setTransactionId(txId);
    prepared.setEnvelope(envelope);
    const submitted = await gateway.newTransaction(prepared.serializeBinary()).submit();
    return (await submitted.getStatus()).code;
  };
  expect(await forged(() => undefined)).toBe(code.VALID);
  expect(await forged(({ channelHeader }) => channelHeader.setTxId('0'.repeat(64)))).toBe(
    code.BAD_PROPOSAL_TXID,
  );
  expect(await forged(({ channelHeader }) => channelHeader.setEpoch(1))).toBe(code.BAD_COMMON_HEADER);
  expect(await forged(({ channelHeader }) => channelHeader.setVersion(9))).toBe(
    code.INVALID_ENDORSER_TRANSACTION,
  );
  expect(await forged(({ payload }) => payload.setChaincodeProposalPayload(Buffer.from([10, 0])))).toBe(
    code.INVALID_ENDORSER_TRANSACTION,
  );
  expect(
    await forged(({ transaction }) => {
      const actions = transaction.getActionsList();
      transaction.setActionsList([...actions, ...actions]);
    }),
  ).toBe(code.INVALID_ENDORSER_TRANSACTION);
  expect(
    await forged(({ action }) => {
      for (const one of action.getEndorsementsList()) one.setSignature(randomBytes(70));
    }),
  ).toBe(code.ENDORSEMENT_POLICY_FAILURE);
  expect(
    await forged(({ action }) => {
      const [first] = action.getEndorsementsList();
      if (first !== undefined) action.setEndorsementsList([first, first]);
    }),
  ).toBe(code.ENDORSEMENT_POLICY_FAILURE);
  expect(text(await contract.evaluateTransaction('get', 'a'))).toBe('1');
});

test('no signer satisfies a malformed policy', () => {
  const policy = peer.ApplicationPolicy.deserializeBinary(policyBytes("OR('A.member')")).getSignaturePolicy();
  const [principal] = policy?.getIdentitiesList() ?? [];
  const signers = [{ mspId: 'A', role: 'peer' as const }];
  expect(policy && fulfils(policy, signers)).toBe(true);
  principal?.setPrincipal(Buffer.from([0xff, 0xff]));
  expect(policy && fulfils(policy, signers)).toBe(false);
});

interface Parts {
  content: common.Payload;
  channelHeader: common.ChannelHeader;
  transaction: peer.Transaction;
  payload: peer.ChaincodeActionPayload;
  action: peer.ChaincodeEndorsedAction;
}

function takeApart(bytes: Uint8Array): Parts {
  const envelope =
    messages.PreparedTransaction.deserializeBinary(bytes).getEnvelope() ?? new common.Envelope();
  const content = common.Payload.deserializeBinary(envelope.getPayload_asU8());
  const header = content.getHeader() ?? new common.Header();
  const transaction = peer.Transaction.deserializeBinary(content.getData_asU8());
  const [first] = transaction.getActionsList();
  const payload = peer.ChaincodeActionPayload.deserializeBinary(first?.getPayload_asU8() ?? new Uint8Array());
  return {
    ...{ content, transaction, payload },
    channelHeader: common.ChannelHeader.deserializeBinary(header.getChannelHeader_asU8()),
    action: payload.getAction() ?? new peer.ChaincodeEndorsedAction(),
  };
}

function putTogether(
  parts: Parts,
  sign: (bytes: Uint8Array) => Uint8Array,
): { envelope: common.Envelope; txId: string } {
  const { content, channelHeader, transaction, payload } = parts;
  transaction.getActionsList()[0]?.setPayload(payload.serializeBinary());
  content.setData(transaction.serializeBinary());
  content.getHeader()?.setChannelHeader(channelHeader.serializeBinary());
  const bytes = content.serializeBinary();
  const envelope = new common.Envelope();
  envelope.setPayload(bytes);
  envelope.setSignature(sign(bytes));
  return { envelope, txId: channelHeader.getTxId() };
}
