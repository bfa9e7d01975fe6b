export function OperationsPage() {
  return null;
}
