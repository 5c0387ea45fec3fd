export function pageOf(data: unknown): string;
