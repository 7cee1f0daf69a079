import { randomBytes } from 'node:crypto';
import { common, peer } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { type Credentials, signerOf } from '../identity/signer.ts';
import { transactionId } from '../messages/proposal.ts';
import { lifecycleNamespace } from '../system/definitions.ts';

const { lifecycle } = peer;

/**
 * Installs a chaincode package on one peer, as an administrator of its organization. Idempotent.
 * @returns the package id
 * @throws DevnetError with the peer's message
 */
export async function installChaincode(
  endorser: peer.EndorserClient,
  admin: Credentials,
  bytes: Uint8Array,
): Promise<string> {
  const args = new lifecycle.InstallChaincodeArgs();
  args.setChaincodeInstallPackage(bytes);
  const proposal = lifecycleProposal(admin, 'InstallChaincode', args.serializeBinary());
  const { promise, resolve, reject } = Promise.withResolvers<peer.ProposalResponse>();
  endorser.processProposal(proposal, (error, response) => {
    if (response !== undefined) resolve(response);
    else reject(new DevnetError(`The chaincode could not be installed: ${error?.details}`, { cause: error }));
  });
  const response = (await promise).getResponse();
  const installed = /successfully installed \(package ID '([^']+)'\)/.exec(response?.getMessage() ?? '');
  if (installed?.[1] !== undefined) return installed[1];
  if (response?.getStatus() !== 200)
    throw new DevnetError(`The chaincode could not be installed: ${response?.getMessage()}`);
  return lifecycle.InstallChaincodeResult.deserializeBinary(response.getPayload_asU8()).getPackageId();
}

/** Sends a signed lifecycle call, which belongs to no channel, to one peer. */
export function lifecycleProposal(
  member: Credentials,
  name: string,
  argument: Uint8Array,
): peer.SignedProposal {
  const signer = signerOf(member);
  const nonce = randomBytes(24);
  const id = new peer.ChaincodeID();
  id.setName(lifecycleNamespace);
  const extension = new peer.ChaincodeHeaderExtension();
  extension.setChaincodeId(id);
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(common.HeaderType.ENDORSER_TRANSACTION);
  channelHeader.setTxId(transactionId(nonce, signer.serialized));
  channelHeader.setTimestamp(timestamp.Timestamp.fromDate(new Date()));
  channelHeader.setExtension$(extension.serializeBinary());
  const signatureHeader = new common.SignatureHeader();
  signatureHeader.setCreator(signer.serialized);
  signatureHeader.setNonce(nonce);
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  header.setSignatureHeader(signatureHeader.serializeBinary());
  const input = new peer.ChaincodeInput();
  input.setArgsList([Buffer.from(name), argument]);
  const spec = new peer.ChaincodeSpec();
  spec.setChaincodeId(id);
  spec.setInput(input);
  const invocation = new peer.ChaincodeInvocationSpec();
  invocation.setChaincodeSpec(spec);
  const payload = new peer.ChaincodeProposalPayload();
  payload.setInput(invocation.serializeBinary());
  const proposal = new peer.Proposal();
  proposal.setHeader(header.serializeBinary());
  proposal.setPayload(payload.serializeBinary());
  const bytes = proposal.serializeBinary();
  const signed = new peer.SignedProposal();
  signed.setProposalBytes(bytes);
  signed.setSignature(signer.sign(bytes));
  return signed;
}
