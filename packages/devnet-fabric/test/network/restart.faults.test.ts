import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sampleChaincodes } from '../../src/chaincode/samples.ts';
import { openMemberClient } from '../../src/client/member-client.ts';
import { startFabricNetwork } from '../../src/network.ts';
import { startFabricProcess } from '../../src/process.ts';
import type { FabricProfile } from '../../src/profile-file.ts';
import { clientOf, organization, text } from './network.ts';

/** Timeout in milliseconds. Chaincode processes start slowly on a busy machine. */
const timeoutMs = 180_000;

test(
  'a restarted network has the same chain, state, members, ports and chaincode',
  async () => {
    const directory = folder();
    const options = { directory, channel: 'trade', organizations: ['AlphaMSP', 'BetaMSP'] };
    const chaincode = { name: 'assets', contract: sampleChaincodes.assetTransfer };
    const before = await startFabricNetwork({ ...options, batch: { timeout: 20 } });
    onTestFinished(() => before.stop());
    const { sequence, services } = await before.deployChaincode(chaincode);
    const one = organization(before, 0);
    const alice = await one.issueUser('alice');
    const contract = clientOf(one, alice).gateway.getNetwork('trade').getContract('assets');
    await contract.submitTransaction('Trials:Put', 'a', '1');
    // The orderer accepts the next transaction, but no block contains it before the network stops.
    before.faults.blocksHeld = true;
    const waiting = await contract.submitAsync('Trials:Put', { arguments: ['b', '2'] });
    const endpoint = one.endpoint;
    await expect(startFabricNetwork({ directory })).rejects.toThrow('Another network');
    await before.stop();

    await expect(startFabricNetwork({ directory, channel: 'other' })).rejects.toThrow('channel "trade"');
    const after = await startFabricNetwork({ directory, batch: { timeout: 20 } });
    onTestFinished(() => after.stop());
    const same = organization(after, 0);
    expect(after.channel).toBe('trade');
    expect(same).toMatchObject({ mspId: 'AlphaMSP', endpoint, rootCertificate: one.rootCertificate });
    expect(same.ca.url).toBe(one.ca.url);
    const deployed = await after.deployChaincode(chaincode);
    expect(deployed.sequence).toBe(sequence);
    expect(deployed.services[0]?.packageId).toBe(services[0]?.packageId);
    const { gateway } = clientOf(same, alice);
    const again = gateway.getNetwork('trade').getContract('assets');
    expect(text(await again.evaluateTransaction('Trials:Get', 'a'))).toBe('1');
    const status = await gateway.newCommit(waiting.getBytes()).getStatus();
    expect(status.successful).toBe(true);
    expect(text(await again.evaluateTransaction('Trials:Get', 'b'))).toBe('2');
  },
  timeoutMs,
);

test(
  'an upgrade uses the next sequence and keeps the state, even if the next upgrade fails',
  async () => {
    const network = await startFabricNetwork({ batch: { timeout: 20 } });
    onTestFinished(() => network.stop());
    const chaincode = { name: 'assets', contract: sampleChaincodes.assetTransfer };
    const first = await network.deployChaincode(chaincode);
    expect(await network.deployChaincode(chaincode)).toEqual(first);
    const one = organization(network, 0);
    const contract = clientOf(one, one.admin).gateway.getNetwork(network.channel).getContract('assets');
    await contract.submitTransaction('Trials:Put', 'a', '1');
    const second = await network.deployChaincode({
      ...{ ...chaincode, version: '2.0', policy: "OR('Org1MSP.peer','Org2MSP.peer')" },
      perOrganization: true,
    });
    expect(second).toMatchObject({ sequence: 2, version: '2.0' });
    expect(new Set(second.services.map(({ packageId }) => packageId)).size).toBe(2);
    expect(text(await contract.evaluateTransaction('Trials:Get', 'a'))).toBe('1');

    const unagreed = { ...chaincode, version: '3.0', policy: 'nobody' };
    await expect(network.deployChaincode(unagreed)).rejects.toThrow();
    const isTheSame = { ...chaincode, version: '2.0', policy: "OR('Org1MSP.peer','Org2MSP.peer')" };
    expect(await network.deployChaincode({ ...isTheSame, perOrganization: true })).toEqual(second);
    expect(text(await contract.evaluateTransaction('Trials:Get', 'a'))).toBe('1');
    await network.stop();
    await Promise.all(second.services.map(({ ended }) => ended));
  },
  timeoutMs,
);

test(
  'a network in a separate process writes a profile, and removes it when it ends',
  async () => {
    const network = await startFabricProcess({ batch: { timeout: 20 }, mutualTls: true });
    onTestFinished(() => network.stop());
    const profile: FabricProfile = JSON.parse(readFileSync(network.profile, 'utf8'));
    const [one] = profile.organizations;
    const [peer] = one?.peers ?? [];
    const [user] = one?.users ?? [];
    const read = (file = '') => readFileSync(file, 'utf8');
    const pair = (files: { certFile: string; keyFile: string } | undefined) => ({
      certificate: read(files?.certFile),
      privateKey: read(files?.keyFile),
    });
    const client = openMemberClient({
      endpoint: peer?.endpoint ?? '',
      hostOverride: peer?.hostOverride ?? '',
      tlsCaCertificate: read(peer?.tlsCaFile),
      member: { mspId: one?.mspId ?? '', ...pair(user) },
      clientTls: pair(one?.clientTls),
    });
    onTestFinished(() => client.close());
    const contract = client.gateway.getNetwork(profile.channel).getContract(profile.chaincode);
    const name = (role: 'write' | 'read') => profile.functions[role]?.name ?? '';
    await contract.submitTransaction(name('write'), 'k', 'v');
    expect(text(await contract.evaluateTransaction(name('read'), 'k'))).toBe('v');
    await network.kill();
    expect(existsSync(dirname(network.profile))).toBe(false);
  },
  timeoutMs,
);

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'ledger-ops-fabric-test-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
