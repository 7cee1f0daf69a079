import { describe, expect, test } from 'vitest';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { DeployPlan } from '../plan.ts';
import type { Definitions } from './definitions.ts';
import { commitRefused, isApprovedAlready, stepRefused } from './refused-step.ts';

const txId = 'a'.repeat(64);
const plan: DeployPlan = {
  ...{ step: 'commit', channel: 'trade', name: 'goods', version: '2.0', label: 'goods_2.0' },
  ...{ packageId: 'goods_2.0:ab', sequence: 2 },
};
const approving: DeployPlan = { ...plan, step: 'approve' };

/** Returns a refusal by the lifecycle of some organizations' peers, as a gateway reports it. */
function refusal(words: string, ...mspIds: string[]): PeerError {
  const message = `chaincode response 500, failed to invoke backing implementation of 'CommitChaincodeDefinition': ${words}`;
  const details = (mspIds.length > 0 ? mspIds : ['Org2MSP']).map((mspId) => ({
    ...{ address: 'peer:7051', mspId },
    message: message.replace('<org>', mspId),
  }));
  return new PeerError(grpcCode.aborted, 'failed to collect enough transaction endorsements', details);
}

/** Definitions that answer only queries about approvals. */
function definitionsWith(approvals: Definitions['approvals']): Definitions {
  const unasked = () => Promise.reject(new Error('Only approvals may be queried in this test.'));
  return { approvals, committed: unasked, requireCommitted: unasked };
}
const approvedBy = (...approved: string[]) =>
  definitionsWith(
    async () => new Map(['Org1MSP', 'Org2MSP', 'Org3MSP'].map((mspId) => [mspId, approved.includes(mspId)])),
  );
const all = approvedBy('Org1MSP', 'Org2MSP', 'Org3MSP');
const notAgreed = 'chaincode definition not agreed to by this org (<org>)';
const committedMeanwhile = 'requested sequence is 2, but new definition must be sequence 3';

describe('a refused commit', () => {
  test('a refused commit waits for the organizations that have not approved yet', async () => {
    const { problem } = await commitRefused(refusal(notAgreed), plan, txId, approvedBy('Org1MSP'));
    expect(problem).toMatchObject({
      ...{ code: 'approvals-missing', phase: 'prepare', txId },
      detail:
        'Waiting for approvals of Org2MSP, Org3MSP: definition 2 of goods on trade can be committed after these organizations have approved it, by deploying the same package and definition.',
      data: { organizations: ['Org2MSP', 'Org3MSP'], packageId: 'goods_2.0:ab', sequence: 2 },
    });
  });

  test('if all organizations have approved in the meantime, a refused commit waits for those whose peers refused it', async () => {
    const refused = refusal(notAgreed, 'Org3MSP', 'Org2MSP', 'Org2MSP');
    const { problem } = await commitRefused(refused, plan, txId, all);
    expect(problem).toMatchObject({
      code: 'approvals-missing',
      detail:
        'Waiting for approvals of Org2MSP, Org3MSP: definition 2 of goods on trade is approved, and can be committed when the peers of these organizations have received the block with the approval.',
      data: { organizations: ['Org2MSP', 'Org3MSP'], packageId: 'goods_2.0:ab', sequence: 2 },
    });
  });

  test('a refused commit is retried if the definition is committed before approvals are queried', async () => {
    const definitions = definitionsWith(() => Promise.reject(refusal(committedMeanwhile)));
    const { problem } = await commitRefused(refusal(notAgreed), plan, txId, definitions);
    expect(problem).toMatchObject({ code: 'unavailable', data: { failure: 'behind' } });
  });

  test('a refused commit fails if neither new blocks nor approvals can change the reason', async () => {
    const { problem } = await commitRefused(refusal('invalid chaincode name'), plan, txId, all);
    expect(problem).toMatchObject({ code: 'reverted', data: { failure: 'chaincode' } });
  });

  test('commitRefused throws an unexpected error of the definition query unchanged', async () => {
    const broken = definitionsWith(() => Promise.reject(new TypeError('broken')));
    await expect(commitRefused(refusal(notAgreed), plan, txId, broken)).rejects.toThrow(TypeError);
  });
});

const redefined = 'attempted to redefine the current committed sequence (2) for namespace goods';
const differently = `${redefined} with different parameters: Collections do not match`;

test.each<[code: string, plan: DeployPlan, words: string]>([
  ['unavailable', plan, committedMeanwhile],
  ['unavailable', approving, 'currently defined sequence 3 is larger than requested sequence 2'],
  ['unavailable', approving, 'requested sequence 2 is larger than the next available sequence number 1'],
  // The definition was committed between the query and the approval.
  ['unavailable', approving, differently],
  ['unavailable', { ...approving, committed: true }, redefined],
  ['reverted', { ...approving, committed: true }, differently],
  ['reverted', plan, differently],
])('classifies a refused step as %s: step %o, message "%s"', (code, refused, words) => {
  expect(stepRefused(refusal(words), refused, txId).problem).toMatchObject({ code, phase: 'prepare', txId });
});

test('if peers return different results, reports that they do not have the same blocks', async () => {
  const details = [
    { address: 'peer:7051', mspId: 'Org2MSP', message: 'ProposalResponsePayloads do not match' },
  ];
  const differ = new PeerError(grpcCode.aborted, 'failed to collect enough', details);
  const { problem } = await commitRefused(differ, plan, txId, approvedBy('Org1MSP', 'Org2MSP'));
  expect(problem).toMatchObject({
    code: 'unavailable',
    detail: expect.stringMatching(/^The peers do not all have the same blocks of trade yet\. /),
    data: { failure: 'behind', endorsers: details },
  });
});

test('accepts an existing approval only if it is for exactly the same definition', () => {
  const words = 'attempted to redefine uncommitted sequence (2) for namespace goods with unchanged content';
  expect(isApprovedAlready(refusal(words))).toBe(true);
  expect(isApprovedAlready(refusal(redefined))).toBe(false);
});
