import { status } from '@grpc/grpc-js';
import { gateway } from '@hyperledger/fabric-protos';
import { validationCode } from '../ledger/ledger.ts';
import { may, refusal } from '../system/access.ts';
import type { GatewayContext } from './context.ts';
import { RpcError } from './rpc-error.ts';

/** Waits for the validation code and block of a transaction's first occurrence. */
export async function commitStatus(
  signed: gateway.SignedCommitStatusRequest,
  context: GatewayContext,
  signal: AbortSignal,
): Promise<gateway.CommitStatusResponse> {
  const request = read(signed.getRequest_asU8());
  if (request.getIdentity_asU8().length === 0)
    throw new RpcError(status.INVALID_ARGUMENT, 'no identity provided');
  if (request.getChannelId() === '') throw new RpcError(status.INVALID_ARGUMENT, 'no channel ID provided');
  if (request.getTransactionId() === '')
    throw new RpcError(status.INVALID_ARGUMENT, 'transaction ID should not be empty');
  authorize(
    request.getChannelId(),
    request.getIdentity_asU8(),
    signed.getRequest_asU8(),
    signed.getSignature_asU8(),
    context,
  );
  const position = await context.commits.wait(request.getTransactionId(), signal);
  const response = new gateway.CommitStatusResponse();
  response.setResult(validationCode(position.code));
  response.setBlockNumber(position.block);
  return response;
}

/** @throws RpcError unless the identity is a reader of the channel and signed the data */
export function authorize(
  channel: string,
  identity: Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
  context: GatewayContext,
): void {
  if (channel !== context.channel)
    throw new RpcError(status.PERMISSION_DENIED, `Failed to get policy manager for channel [${channel}]`);
  const member = context.membership.identify(identity);
  if (!may(member, 'Readers') || member?.verify(data, signature) !== true)
    throw new RpcError(status.PERMISSION_DENIED, refusal(channel, 'Readers'));
}

function read(bytes: Uint8Array): gateway.CommitStatusRequest {
  if (bytes.length === 0) throw new RpcError(status.INVALID_ARGUMENT, 'a commit status request is required');
  try {
    return gateway.CommitStatusRequest.deserializeBinary(bytes);
  } catch {
    throw new RpcError(status.INVALID_ARGUMENT, 'invalid status request: it is malformed');
  }
}
