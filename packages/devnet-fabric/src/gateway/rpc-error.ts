import { Metadata, type ServiceError, type status } from '@grpc/grpc-js';
import { gateway, google } from '@hyperledger/fabric-protos';
import any from 'google-protobuf/google/protobuf/any_pb.js';

/** The error of one peer or orderer, as included in the gateway's error. */
export interface Detail {
  /** `host:port` */
  address: string;
  mspId: string;
  message: string;
}

/** A gRPC error response. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;

  constructor(code: status, message: string, details: readonly Detail[] = []) {
    super(message);
    this.code = code;
    this.details = message;
    this.metadata = details.length === 0 ? new Metadata() : detailed(code, message, details);
  }
}

/**
 * Converts an error for grpc. An error other than {@link RpcError} is a bug in this network, and is returned
 * as UNKNOWN with its message.
 */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof RpcError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new RpcError(2, message);
}

/** Details are sent as `google.rpc.Status` in a trailer, which clients of all languages read. */
function detailed(code: status, message: string, details: readonly Detail[]): Metadata {
  const rich = new google.rpc.Status();
  rich.setCode(code);
  rich.setMessage(message);
  for (const { address, mspId, message: why } of details) {
    const detail = new gateway.ErrorDetail();
    detail.setAddress(address);
    detail.setMspId(mspId);
    detail.setMessage(why);
    const packed = new any.Any();
    packed.pack(detail.serializeBinary(), 'gateway.ErrorDetail');
    rich.addDetails(packed);
  }
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(rich.serializeBinary()));
  return metadata;
}
