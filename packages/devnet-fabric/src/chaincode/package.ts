import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { constants, gzipSync } from 'node:zlib';
import { DevnetError } from '@ledger-ops/devnet';
import { pack } from 'tar-stream';

/** A chaincode that runs as a separate service, to be packaged for peers. */
export interface PackageOptions {
  /** Letters, digits and `_.+-`, starting with a letter or digit, such as `asset_1.0`. */
  label: string;
  /** `host:port` where peers reach the service. */
  address: string;
  /** Seconds that a peer waits for the connection. Default 10. */
  dialTimeoutSeconds?: number;
}

/** A package as peers install it. */
export interface ChaincodePackage {
  /** gzip of a tar with `metadata.json` and `code.tar.gz`. */
  bytes: Uint8Array;
  /** `label:sha256`, as a peer computes it. The service must register with this id. */
  packageId: string;
}

/**
 * Packages a chaincode service (`ccaas`). The same options produce the same bytes on every machine: times and
 * owners are fixed, and nothing is compressed.
 * @throws DevnetError if peers reject the label.
 */
export async function packageChaincode(options: PackageOptions): Promise<ChaincodePackage> {
  if (!/^[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*$/.test(options.label))
    throw new DevnetError(
      `"${options.label}" is not a label for a chaincode package. Use letters and digits, separated by single characters of . + _ -.`,
    );
  const connection = {
    address: options.address,
    dial_timeout: `${options.dialTimeoutSeconds ?? 10}s`,
    tls_required: false,
  };
  const code = await tarGz({ 'connection.json': JSON.stringify(connection) });
  const metadata = JSON.stringify({ type: 'ccaas', label: options.label });
  const bytes = await tarGz({ 'metadata.json': metadata, 'code.tar.gz': code });
  return { bytes, packageId: packageIdOf(options.label, bytes) };
}

/** Returns the package id that a peer assigns: the label and the SHA-256 of the package's bytes. */
export function packageIdOf(label: string, bytes: Uint8Array): string {
  return `${label}:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function tarGz(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(files))
    tar.entry({ name, mode: 0o644, mtime: new Date(0) }, Buffer.from(content));
  tar.finalize();
  const zipped = gzipSync(await buffer(tar), { level: constants.Z_NO_COMPRESSION });
  // The header names the operating system; 255 is "unknown".
  zipped[9] = 255;
  return zipped;
}
