// Connections
