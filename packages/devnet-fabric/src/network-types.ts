import type { KeyPair } from './ca/issue.ts';
import type { RunningChaincode } from './chaincode/start.ts';
import type { Faults } from './faults.ts';
import type { Credentials } from './identity/signer.ts';
import type { BatchOptions } from './orderer/orderer.ts';
import type { ConnectChaincode } from './peer/chaincodes.ts';
import type { FabricProfile, ProfileOptions } from './profile-file.ts';

/** Options of a network. */
export interface FabricNetworkOptions {
  /** Default `ledger`. */
  channel?: string;
  /** MSP ids, default `Org1MSP` and `Org2MSP`. */
  organizations?: readonly string[];
  /** When blocks are cut: default 100 messages or 200 ms after the first. */
  batch?: BatchOptions;
  /** Everything is kept in a database in this folder, and found again at the next start. Absent: in memory. */
  directory?: string;
  /** Clients must show a TLS certificate of one of the organizations. Default false. */
  mutualTls?: boolean;
  /** One for each organization, on 127.0.0.1. Default: free ones, the former ones of the directory if they are. */
  ports?: readonly number[];
  /** Milliseconds that a chaincode may take for one call, default 30,000. */
  chaincodeTimeout?: number;
  /** Calls at a time of each peer's gateway, default 500. */
  concurrency?: number;
  /** How peers reach chaincodes; default: as services, by the address in the package. */
  connectChaincode?: ConnectChaincode;
}

/** One organization of a running network. */
export interface FabricOrganization {
  mspId: string;
  /** Its peer, `127.0.0.1:<port>`. */
  endpoint: string;
  /** A name in the endpoint's certificate: TLS has no server names that are addresses. */
  hostOverride: string;
  /** PEM: the root of the endpoint's certificate. */
  tlsCaCertificate: string;
  /** PEM: the root of its members' certificates. */
  rootCertificate: string;
  /** PEM: the root's key, with which tests make certificates that no CA would issue. */
  rootPrivateKey: string;
  /** Its certificate authority, with fabric-ca's REST calls. */
  ca: FabricCa;
  /** An administrator, who may install and approve chaincode. */
  admin: Credentials;
  /** A new client, certified by the organization's root. */
  issueUser(name: string): Promise<Credentials>;
  /** A TLS certificate for a client, as mutual TLS demands it. */
  issueClientTls(name: string): Promise<KeyPair>;
  running(): boolean;
  /** Ends the peer's endpoint at once, with all its connections. The rest of the network goes on. */
  stop(): Promise<void>;
  /** Brings the endpoint back, at the same port. */
  start(): Promise<void>;
}

/** An organization's certificate authority. */
export interface FabricCa {
  /** `https://127.0.0.1:<port>` */
  url: string;
  /** Its name in the `caname` of requests. */
  name: string;
  /** PEM: the root of its own TLS certificate. */
  tlsCaCertificate: string;
  /** Who may register others. */
  registrar: { enrollmentId: string; enrollmentSecret: string };
}

/** A running network. */
export interface FabricNetwork {
  channel: string;
  organizations: FabricOrganization[];
  mutualTls: boolean;
  faults: Faults;
  /**
   * Starts a chaincode and brings it onto the channel, unless it is there: after a restart of the network the same call
   * starts its process again.
   */
  deployChaincode(options: DeployOptions): Promise<DeployedChaincode>;
  /** Writes what others need to use the network into a folder, as a file for `FABRIC_PROFILE` and those it names. */
  profile(directory: string, options?: ProfileOptions): Promise<{ profile: FabricProfile; file: string }>;
  stop(): Promise<void>;
}

/** A chaincode to be brought onto the channel. */
export interface DeployOptions {
  name: string;
  /** Default `1.0`. */
  version?: string;
  /** `OR('Org1MSP.member', …)`, or a policy of the channel; default `/Channel/Application/Endorsement`, a majority. */
  policy?: string;
  /** A folder with contracts, or a program: see `startChaincode`. */
  contract: string;
  /**
   * Each organization has a process of its own, which knows the organization as `CORE_PEER_LOCALMSPID`
   * (`stub.getMspID()`). Default false: one process serves them all.
   */
  perOrganization?: boolean;
  /** Started again when it ends by itself. Default true, as a container would be. */
  restart?: boolean;
}

/** A chaincode on the channel, with the processes that run it. */
export interface DeployedChaincode {
  name: string;
  version: string;
  sequence: number;
  /** One for all organizations, or one for each, in their order. */
  services: RunningChaincode[];
}
