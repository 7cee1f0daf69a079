import { readFileSync } from 'node:fs';
import { type ProfileOrganization, readProfile, startFabricProcess } from '@ledger-ops/devnet-fabric';

/** A network to measure, and the member that sends all transactions. */
export interface Network {
  channel: string;
  chaincode: string;
  organizations: readonly ProfileOrganization[];
  own: ProfileOrganization;
  user: Member;
  /** Reads blocks for the server. If the organization has several users, this is not the sending user. */
  observer: Member;
  /** The chaincode function that writes a key. */
  write(key: string, value: string): Call;
  /** The chaincode function that reads a key. */
  read(key: string): Call;
  stop(): Promise<void>;
}

/** Certificate and key as PEM. */
export interface Member {
  certificate: string;
  privateKey: string;
}

export interface Call {
  name: string;
  args: string[];
}

/** Uses the network that `FABRIC_PROFILE` names, or starts a development network in a separate process. */
export async function openNetwork(): Promise<Network> {
  const given = process.env.FABRIC_PROFILE;
  if (given !== undefined && given !== '') return networkOf(given, async () => undefined);
  const network = await startFabricProcess();
  return networkOf(network.profile, () => network.stop());
}

function networkOf(file: string, stop: () => Promise<void>): Network {
  const profile = readProfile(file);
  const { channel, chaincode, organizations, functions } = profile;
  const [own] = organizations;
  const user = own?.users[0];
  const observer = own?.users.at(-1);
  const { write, read } = functions;
  if (own === undefined || user === undefined || observer === undefined)
    throw new Error(`${file} has no organization with a user.`);
  if (write === undefined || read === undefined)
    throw new Error(`${file} needs the functions write and read.`);
  const call = ({ name, args }: Call, values: Record<string, string>): Call => ({
    name,
    args: args.map((arg) => arg.replace(/\{(key|value)\}/g, (_, part: string) => values[part] ?? '')),
  });
  return {
    channel,
    chaincode,
    organizations,
    own,
    user: memberOf(user),
    observer: memberOf(observer),
    write: (key, value) => call(write, { key, value }),
    read: (key) => call(read, { key }),
    stop,
  };
}

function memberOf({ certFile, keyFile }: { certFile: string; keyFile: string }): Member {
  return { certificate: readPem(certFile), privateKey: readPem(keyFile) };
}

export function readPem(file: string): string {
  return readFileSync(file, 'utf8');
}
