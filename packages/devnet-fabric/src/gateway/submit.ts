import { status } from '@grpc/grpc-js';
import { common, gateway } from '@hyperledger/fabric-protos';
import type { GatewayContext } from './context.ts';
import { RpcError } from './rpc-error.ts';

/**
 * Sends a signed transaction to the orderer. Acceptance by the orderer does not mean that the transaction is
 * valid.
 */
export function submit(request: gateway.SubmitRequest, context: GatewayContext): gateway.SubmitResponse {
  const envelope = request.getPreparedTransaction();
  if (envelope === undefined)
    throw new RpcError(status.INVALID_ARGUMENT, 'a prepared transaction is required');
  if (envelope.getSignature_asU8().length === 0)
    throw new RpcError(status.INVALID_ARGUMENT, 'prepared transaction must be signed');
  if (request.getChannelId() !== context.channel)
    throw new RpcError(
      status.FAILED_PRECONDITION,
      `failed to get config for channel [${request.getChannelId()}]: could not get last config for channel ${request.getChannelId()}`,
    );
  const answer = context.orderer.broadcast(envelope);
  if (answer.status === common.Status.SUCCESS) return new gateway.SubmitResponse();
  if (answer.status >= 400 && answer.status < 500)
    throw new RpcError(
      status.ABORTED,
      `received unsuccessful response from orderer: status=${nameOf(answer.status)}, info=${answer.info}`,
    );
  throw new RpcError(status.UNAVAILABLE, 'no orderers could successfully process transaction', [
    {
      ...{ address: context.ordererAddress, mspId: 'OrdererMSP' },
      message: `received unsuccessful response from orderer: status=${nameOf(answer.status)}, info=${answer.info}`,
    },
  ]);
}

function nameOf(value: number): string {
  return Object.entries(common.Status).find(([, number]) => number === value)?.[0] ?? String(value);
}
