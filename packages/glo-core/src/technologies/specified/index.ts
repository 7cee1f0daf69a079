import { type GloContent, type GloTechnology, opaqueTechnology } from '../technology.ts';
import { ethereum, ethereumGloContent } from './ethereum.ts';
import { fabricGloContent, hyperledgerFabric } from './fabric.ts';

/** Names of the technologies that the specification itself describes. */
export const technologies = ['ethereum', 'hyperledger-fabric'];

/** The technologies that the specification itself describes: what is read where nothing else is said. */
export const specifiedTechnologies: readonly GloTechnology[] = [ethereum, hyperledgerFabric];

/** Their content as data, with the names that its schemas have in `gloJsonSchema`. */
export const specifiedContents: readonly { technology: string; id: string; content: GloContent }[] = [
  { technology: ethereum.technology, id: 'GloEthereumContent', content: ethereumGloContent },
  { technology: hyperledgerFabric.technology, id: 'GloFabricContent', content: fabricGloContent },
];

/** The specified technology of a name; for any other name one whose content is opaque. */
export function technologyNamed(name: string): GloTechnology {
  return specifiedTechnologies.find(({ technology }) => technology === name) ?? opaqueTechnology(name);
}
