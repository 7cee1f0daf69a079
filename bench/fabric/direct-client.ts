import { createPrivateKey, sign } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import { type Contract, connect, hash, type Signer } from '@hyperledger/fabric-gateway';
import { peer as protos } from '@hyperledger/fabric-protos';
import { type Network, readPem } from './network.ts';
import { inParallel, type Load, type Round, type Sent } from './rounds.ts';

/** The Fabric gateway client, used as in its documentation: submits, then waits for the commit status. */
export interface DirectClient {
  run(load: Load, tag: string): Promise<Round>;
  /**
   * @throws Error if a transaction is not valid in a block, or its value was not written
   */
  verify(sent: readonly Sent[], inFlight: number): Promise<void>;
  close(): void;
}

const validTransaction = protos.TxValidationCode.VALID;

export function openDirectClient(network: Network): DirectClient {
  const { channel, chaincode, own, user } = network;
  const [node] = own.peers;
  if (node === undefined) throw new Error(`${own.mspId} has no peer.`);
  const clientTls = own.clientTls;
  const client = new Client(
    node.endpoint,
    credentials.createSsl(
      Buffer.from(readPem(node.tlsCaFile)),
      clientTls === undefined ? null : Buffer.from(readPem(clientTls.keyFile)),
      clientTls === undefined ? null : Buffer.from(readPem(clientTls.certFile)),
    ),
    node.hostOverride === undefined ? {} : { 'grpc.ssl_target_name_override': node.hostOverride },
  );
  const gateway = connect({
    client,
    identity: { mspId: own.mspId, credentials: Buffer.from(user.certificate) },
    signer: nativeSigner(user.privateKey),
    // Hashes and signs in one native call.
    hash: hash.none,
  });
  const fabric = gateway.getNetwork(channel);
  const contract = fabric.getContract(chaincode);
  const ledger = fabric.getContract('qscc');

  return {
    async run(load, tag) {
      const sent: Sent[] = [];
      const start = performance.now();
      await inParallel(load, async (nth) => {
        const [key, value] = [`${tag}-${nth}`, `v${nth}`];
        sent.push({ key, value, txId: await submit(contract, network.write(key, value)) });
      });
      return { perSecond: load.actions / ((performance.now() - start) / 1_000), sent };
    },
    async verify(sent, inFlight) {
      await inParallel({ actions: sent.length, inFlight }, async (nth) => {
        const one = sent[nth];
        if (one === undefined) return;
        const processed = await ledger.evaluateTransaction('GetTransactionByID', channel, one.txId);
        const code = protos.ProcessedTransaction.deserializeBinary(processed).getValidationcode();
        if (code !== validTransaction) throw new Error(`${one.txId} has validation code ${code}.`);
        const { name, args } = network.read(one.key);
        const state = Buffer.from(await contract.evaluateTransaction(name, ...args)).toString();
        if (!state.includes(one.value))
          throw new Error(`The value of ${one.key} is ${state}, but ${one.value} was written.`);
      });
    },
    close() {
      gateway.close();
      client.close();
    },
  };
}

async function submit(contract: Contract, { name, args }: { name: string; args: string[] }): Promise<string> {
  const submitted = await contract.submitAsync(name, { arguments: args });
  const { successful, code, transactionId } = await submitted.getStatus();
  if (!successful) throw new Error(`${transactionId} has validation code ${code}.`);
  return transactionId;
}

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/**
 * Signs with ECDSA by node:crypto, with a low s as peers require. The library's own signer is written in JavaScript and
 * slower.
 */
function nativeSigner(privateKey: string): Signer {
  const key = createPrivateKey(privateKey);
  return async (message) => {
    const raw = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
    const s = BigInt(`0x${raw.toString('hex', 32)}`);
    const low = s > order >> 1n ? order - s : s;
    const r = integer(raw.toString('hex', 0, 32));
    const body = Buffer.concat([r, integer(low.toString(16).padStart(64, '0'))]);
    return Buffer.concat([Buffer.from([0x30, body.length]), body]);
  };
}

/** Encodes a positive integer in DER: without leading zeros, except one before a first byte of 0x80 or more. */
function integer(hex: string): Buffer {
  const digits = hex.replace(/^(00)+(?=..)/, '');
  const bytes = Buffer.from(Number.parseInt(digits.slice(0, 2), 16) >= 0x80 ? `00${digits}` : digits, 'hex');
  return Buffer.concat([Buffer.from([2, bytes.length]), bytes]);
}
