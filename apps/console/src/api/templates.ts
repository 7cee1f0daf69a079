import type { Schemas } from './types.ts';

export type Template = Schemas['OldContractTemplate'];
export type TemplateVersion = Schemas['OldContractSpecification'];

export const templatesPath = '/v1/smart-contracts/templates';
