import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as grpc from '@grpc/grpc-js';
import { connect, signers } from '@hyperledger/fabric-gateway';
import type { FabricProfile } from '@ledger-ops/devnet-fabric';
import { organizationAt } from './profile.ts';

/** Returns the result that a plain gateway client gets from a profile's chaincode, as a string. */
export async function evaluateDirectly(
  profile: FabricProfile,
  name: string,
  args: readonly string[],
): Promise<string> {
  const { mspId, peers, users, clientTls } = organizationAt(profile);
  const [peer] = peers;
  const [user] = users;
  if (peer === undefined || user === undefined) throw new RangeError(`${mspId} has no peer or no user.`);
  const read = (file: string | undefined) => (file === undefined ? null : readFileSync(file));
  const credentials = grpc.credentials.createSsl(
    read(peer.tlsCaFile),
    read(clientTls?.keyFile),
    read(clientTls?.certFile),
  );
  const options =
    peer.hostOverride === undefined ? {} : { 'grpc.ssl_target_name_override': peer.hostOverride };
  const client = new grpc.Client(peer.endpoint, credentials, options);
  const gateway = connect({
    client,
    identity: { mspId, credentials: readFileSync(user.certFile) },
    signer: signers.newPrivateKeySigner(createPrivateKey(readFileSync(user.keyFile))),
  });
  try {
    const contract = gateway.getNetwork(profile.channel).getContract(profile.chaincode);
    return Buffer.from(await contract.evaluateTransaction(name, ...args)).toString();
  } finally {
    gateway.close();
    client.close();
  }
}
