import { type GloContent, type GloTechnology, opaqueTechnology } from '../technology.ts';
import { ethereum, ethereumGloContent } from './ethereum.ts';
import { fabricGloContent, hyperledgerFabric } from './fabric.ts';

/** Names of the technologies that the specification describes. */
export const technologies = ['ethereum', 'hyperledger-fabric'];

/** The technologies that the specification describes; the default for parsing. */
export const specifiedTechnologies: readonly GloTechnology[] = [ethereum, hyperledgerFabric];

/** Content of the specified technologies as data, with the schema names used in `gloJsonSchema`. */
export const specifiedContents: readonly { technology: string; id: string; content: GloContent }[] = [
  { technology: ethereum.technology, id: 'GloEthereumContent', content: ethereumGloContent },
  { technology: hyperledgerFabric.technology, id: 'GloFabricContent', content: fabricGloContent },
];

/** Returns the specified technology of this name; for any other name one with opaque content. */
export function technologyNamed(name: string): GloTechnology {
  return specifiedTechnologies.find(({ technology }) => technology === name) ?? opaqueTechnology(name);
}
