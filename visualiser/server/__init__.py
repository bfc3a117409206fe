"""Everything between the network and the pages: clients, costs, turns and answers."""
