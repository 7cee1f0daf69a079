import { createPrivateKey } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import { connect, GatewayError, hash, signers } from '@hyperledger/fabric-gateway';
import { common, peer } from '@hyperledger/fabric-protos';
import type { FabricNetwork } from '@ledger-ops/devnet-fabric';

/** The ledger as a plain client sees it, independent of the server. */
export interface FabricClient {
  /** Returns the result of a read-only call, as text. */
  evaluate(chaincode: string, method: string, ...args: string[]): Promise<string>;
  /** Returns the definition that is committed on the channel; undefined if missing. */
  definition(chaincode: string): Promise<{ sequence: number; version: string } | undefined>;
  /**
   * Validation codes of all client transactions in the channel's blocks, by id. For duplicates, the first
   * code.
   */
  transactions(): Promise<Map<string, number>>;
  close(): void;
}

/** Validation code of a transaction that took effect. */
export const valid = peer.TxValidationCode.VALID;

/** Connects to the first organization's peer as one of its users. */
export async function openFabricClient({ channel, organizations }: FabricNetwork): Promise<FabricClient> {
  const [organization] = organizations;
  if (organization === undefined) throw new RangeError('The network has no organization.');
  const user = await organization.issueUser('onlooker');
  const client = new Client(
    organization.endpoint,
    credentials.createSsl(Buffer.from(organization.tlsCaCertificate)),
    { 'grpc.ssl_target_name_override': organization.hostOverride },
  );
  const gateway = connect({
    client,
    identity: { mspId: user.mspId, credentials: Buffer.from(user.certificate) },
    signer: signers.newPrivateKeySigner(createPrivateKey(user.privateKey)),
    hash: hash.sha256,
  });
  const network = gateway.getNetwork(channel);
  const call = (chaincode: string, method: string, args: (string | Uint8Array)[]) =>
    network.getContract(chaincode).evaluateTransaction(method, ...args);
  return {
    evaluate: async (chaincode, method, ...args) =>
      Buffer.from(await call(chaincode, method, args)).toString(),
    async definition(chaincode) {
      const args = new peer.lifecycle.QueryChaincodeDefinitionArgs();
      args.setName(chaincode);
      try {
        const answer = await call('_lifecycle', 'QueryChaincodeDefinition', [args.serializeBinary()]);
        const found = peer.lifecycle.QueryChaincodeDefinitionResult.deserializeBinary(answer);
        return { sequence: found.getSequence(), version: found.getVersion() };
      } catch (error) {
        if (error instanceof GatewayError && error.message.includes(`namespace ${chaincode} is not defined`))
          return undefined;
        throw error;
      }
    },
    async transactions() {
      const info = common.BlockchainInfo.deserializeBinary(await call('qscc', 'GetChainInfo', [channel]));
      const last = info.getHeight() - 1;
      const blocks = await network.getFilteredBlockEvents({ startBlock: 0n });
      const found = new Map<string, number>();
      try {
        for await (const block of blocks) {
          for (const one of block.getFilteredTransactionsList()) {
            const isOfClient = one.getType() === common.HeaderType.ENDORSER_TRANSACTION;
            if (isOfClient && !found.has(one.getTxid())) found.set(one.getTxid(), one.getTxValidationCode());
          }
          if (block.getNumber() >= last) return found;
        }
        throw new Error('The blocks ended before the last one.');
      } finally {
        blocks.close();
      }
    },
    close() {
      gateway.close();
      client.close();
    },
  };
}
