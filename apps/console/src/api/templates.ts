import { queryOptions } from '@tanstack/react-query';
import { all, get, path } from './client.ts';
import type { Schemas } from './types.ts';

export type Template = Schemas['ContractTemplate'];
export type TemplateVersion = Schemas['ContractTemplateVersionSummary'];

export const templatesPath = '/v1/contract-templates';

export const templatesQuery = () =>
  queryOptions({
    queryKey: ['templates'],
    queryFn: ({ signal }) => all<Template>(templatesPath, {}, { signal }),
  });

export const templateQuery = (templateId: string) =>
  queryOptions({
    queryKey: ['templates', templateId],
    queryFn: ({ signal }) => get<Template>(path`/v1/contract-templates/${templateId}`, {}, signal),
  });

/** Oldest first. */
export const versionsQuery = (templateId: string) =>
  queryOptions({
    queryKey: ['templates', templateId, 'versions'],
    queryFn: ({ signal }) =>
      all<TemplateVersion>(path`/v1/contract-templates/${templateId}/versions`, {}, { signal }),
  });

/** Constructor parameters, as the plugin parses the interface of the version. */
export const constructorQuery = (templateId: string, version: string) =>
  queryOptions({
    queryKey: ['templates', templateId, 'constructor', version],
    staleTime: 60_000,
    enabled: templateId !== '' && version !== '',
    queryFn: async ({ signal }) =>
      (
        await get<Schemas['ContractConstructor']>(
          path`/v1/contract-templates/${templateId}/versions/${version}/constructor`,
          {},
          signal,
        )
      ).inputs ?? [],
  });
