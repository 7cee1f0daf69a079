import { status } from '@grpc/grpc-js';
import { gateway, orderer, type peer } from '@hyperledger/fabric-protos';
import type { Follower } from '../peer/follow.ts';
import { authorize } from './commit-status.ts';
import type { GatewayContext } from './context.ts';
import { RpcError } from './rpc-error.ts';

/**
 * Sends the events of one chaincode's valid transactions, in one message per block with events, until the
 * client disconnects.
 */
export async function chaincodeEvents(
  signed: gateway.SignedChaincodeEventsRequest,
  context: GatewayContext,
  follower: Follower,
  signal: AbortSignal,
  send: (response: gateway.ChaincodeEventsResponse) => Promise<void>,
): Promise<void> {
  const request = read(signed.getRequest_asU8());
  authorize(
    request.getChannelId(),
    request.getIdentity_asU8(),
    signed.getRequest_asU8(),
    signed.getSignature_asU8(),
    context,
  );
  const { chain } = context.ledger;
  const matches = matcher(request);
  for (let number = startOf(request, context); ; number += 1) {
    if (!(await follower.reached(number, signal))) return;
    const response = chain.events(number);
    const events = response.getEventsList().filter(matches);
    if (events.length === 0) continue;
    response.setEventsList(events);
    await send(response);
  }
}

/**
 * If the request starts after a transaction, skips the events of its block up to and including that
 * transaction.
 */
function matcher(request: gateway.ChaincodeEventsRequest): (event: peer.ChaincodeEvent) => boolean {
  const after = request.getAfterTransactionId();
  let passed = after === '';
  return (event) => {
    if (passed) return event.getChaincodeId() === request.getChaincodeId();
    passed = event.getTxId() === after;
    return false;
  };
}

function startOf(request: gateway.ChaincodeEventsRequest, { ledger }: GatewayContext): number {
  const after = request.getAfterTransactionId();
  const known = after === '' ? undefined : ledger.chain.find(after);
  if (known !== undefined) return known.block;
  const kind = orderer.SeekPosition.TypeCase;
  const position = request.getStartPosition();
  switch (position?.getTypeCase() ?? kind.TYPE_NOT_SET) {
    case kind.TYPE_NOT_SET:
    case kind.NEXT_COMMIT:
      return ledger.chain.height();
    case kind.SPECIFIED:
      return position?.getSpecified()?.getNumber() ?? 0;
    default:
      throw new RpcError(status.INVALID_ARGUMENT, 'invalid start position type');
  }
}

function read(bytes: Uint8Array): gateway.ChaincodeEventsRequest {
  if (bytes.length === 0)
    throw new RpcError(status.INVALID_ARGUMENT, 'a chaincode events request is required');
  try {
    return gateway.ChaincodeEventsRequest.deserializeBinary(bytes);
  } catch {
    throw new RpcError(status.INVALID_ARGUMENT, 'invalid chaincode events request: it is malformed');
  }
}
