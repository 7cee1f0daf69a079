import { expect, onTestFinished, test } from 'vitest';
import { sampleChaincodes } from '../../src/chaincode/samples.ts';
import { startFabricNetwork } from '../../src/network.ts';
import { clientOf, organization } from './network.ts';

/** Timeout in milliseconds. Chaincode processes start slowly on a busy machine. */
const timeoutMs = 180_000;

test(
  'a fabric-contract-api contract runs as a service, and is called through the gateway',
  async () => {
    const network = await startFabricNetwork({ batch: { timeout: 20 } });
    onTestFinished(() => network.stop());
    await network.deployChaincode({ name: 'assets', contract: sampleChaincodes.assetTransfer });
    const first = organization(network, 0);
    const { gateway } = clientOf(first, await first.issueUser('alice'));
    const contract = gateway.getNetwork(network.channel).getContract('assets');
    await contract.submitTransaction('CreateAsset', 'a1', 'blue', '5', 'alice', '300');
    const asset: unknown = JSON.parse(
      Buffer.from(await contract.evaluateTransaction('ReadAsset', 'a1')).toString(),
    );
    expect(asset).toMatchObject({ ID: 'a1', Color: 'blue', Size: 5 });
  },
  timeoutMs,
);
