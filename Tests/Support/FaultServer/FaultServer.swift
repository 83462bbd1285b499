// FaultServer
